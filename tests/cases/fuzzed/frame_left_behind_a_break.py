def helper(x):
    print("once")  # ! print | len("once")
    x = x + 1
    raise Error(x)


def entry(x):
    """Stock gives the frame up at its `try`; the helper is then a frame of its own that raises."""
    try:
        helper(x)
    except Error:
        x = -x
    return x * 2
