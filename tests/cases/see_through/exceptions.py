"""Masked breaks around exceptions: try in all its forms, raised by the user and by opaque callees."""
import json, logging, os, pwd, sys, time, traceback, uuid
import torch

LOGGER = logging.getLogger("masked")


class Retry(Exception):
    def __init__(self, message, after):
        super().__init__(message)  # B23 | pass
        self.after = after


class Fatal(Retry):
    pass


# 1 retry loop, else, finally
def retries(x):
    for attempt in range(4):
        try:
            if attempt < 2:
                LOGGER.warning("attempt %d", attempt)  # B1 | pass
                raise Retry("again", after=attempt)
            y = x * 2
        except Fatal:
            raise
        except Retry as error:
            x = x + error.after
            time.sleep(0)  # B2 | pass
        else:
            x = y + os.getpid()  # B3 | x = y + 1
            break
        finally:
            print("attempt", attempt)  # B4 | pass
    return x


# 2 reraise, chained causes, nested handlers
def chained(x):
    try:
        try:
            x = x + 1
            raise KeyError("missing")
        except KeyError as error:
            uuid.uuid4()  # B5 | pass
            raise Fatal("no key", after=3) from error
    except Retry as error:
        x = x * error.after
        if isinstance(error, Fatal):
            print("fatal", error.args[0])  # B6 | pass
    try:
        try:
            raise RuntimeError("inner")
        finally:
            torch._dynamo.graph_break()  # B7 | pass
    except (ValueError, RuntimeError):
        x = x - os.getppid()  # B8 | x = x - 1
    return x.relu()


# 3 real exceptions of opaque callees, each caught by the class that Python raises
def opaque_raise(x):
    try:
        os.stat("/no/such/file")  # B9 | raise FileNotFoundError
    except FileNotFoundError:
        x = x + 1
    try:
        json.JSONDecoder().decode("{")  # B10 | raise ValueError
    except json.JSONDecodeError as error:
        x = x + error.pos
    except ValueError:
        x = x + 1
    try:
        pwd.getpwnam("no such user")  # B11 | raise KeyError
    except KeyError:
        x = x * 2
    try:
        open("/no/such/file")  # B12 | raise OSError
    except OSError:
        x = x * 3
    else:
        x = x * 1000
    return x


# 4 returns and loops through finally; what a handler reads of its exception
def through_finally(x):
    def first(values):
        for value in values:
            try:
                if value > 1:
                    return value
            finally:
                print("checked", value)  # B13 | pass
        return 0

    x = x + first([0, 1, 2, 3])
    try:
        raise ValueError("one", 2)
    except ValueError as error:
        x = x + error.args[1]
        traceback.format_exc()  # B14 | pass
        sys.exc_info()
    try:
        try:
            import no_such_module_here  # B16 | raise ImportError
        except ImportError:
            x = x + os.getpgid(0)  # B17 | x = x + 1
            raise
    except Exception:
        x = x * 2
    return x


# 5 assertions and exceptions of dictionaries, iterators and attributes
def looked_up(x, table):
    try:
        x = x + table["none"]
    except KeyError:
        time.time()  # B18 | pass
    try:
        next(iter([]))
    except StopIteration:
        x = x + 1
        os.getgid()  # B19 | pass
    try:
        x = x + Fatal.no_such_attribute
    except AttributeError:
        x = x + 2
        print("no attribute")  # B20 | pass
    try:
        assert not table, "the table is full"
    except AssertionError:
        x = x * 2
        LOGGER.error("assert")  # B21 | pass
    try:
        1 // len(())
    except ZeroDivisionError:
        os.getpgrp()  # B22 | pass
    return x


# 6 except*: one clause, and what it does not take
def starred(x):
    try:
        x = x + 1
        raise ValueError(os.getpgrp())  # B43 | raise ValueError(1)
    except* ValueError:  # B44 | except ValueError:
        x = x * 2
        time.sleep(0)  # B45 | pass
    try:
        try:
            raise TypeError(x.dim())
        except* KeyError:  # B46 | except KeyError:
            x = x * 3
    except TypeError:
        print("not taken")  # B47 | pass
    try:
        x = x * 2
        time.time_ns()  # B48 | pass
    except* KeyError:
        x = x - 1
    return x


def subjects():
    x = torch.ones(4)
    return {
        "starred": (starred, (torch.ones(3),)),
        "retries": (retries, (x,)),
        "chained": (chained, (x,)),
        "opaque_raise": (opaque_raise, (x,)),
        "through_finally": (through_finally, (x,)),
        "looked_up": (looked_up, (x, {"a": 1})),
    }
