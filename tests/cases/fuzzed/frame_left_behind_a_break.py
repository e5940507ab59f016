def helper(x):
    print("once")  # ! print | len("once")
    raise Error(1)


def entry(x):
    """Stock gives the frame up at its `try`; the helper is then a frame of its own that raises."""
    try:
        helper(x)
    except Error:
        x = x + 1
    return x * 2
