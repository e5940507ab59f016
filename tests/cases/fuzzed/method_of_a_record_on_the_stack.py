@dataclass
class Record:
    a: int = 1

    def go(self, x):
        print("once")  # ! print | len("once")
        return x + self.a


def entry(x):
    """Stock cannot rebuild the bound method of an object that the trace has made."""
    x = Record().go(x)
    return x * 2
