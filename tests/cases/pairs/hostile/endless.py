"""A pair that never ends, beside one that does."""

import time


def yes():
    return True


def forever():
    while True:
        time.sleep(0.01)


def compare_hangs():
    return forever, yes, ()


def compare_good_1():
    return yes, yes, ()
