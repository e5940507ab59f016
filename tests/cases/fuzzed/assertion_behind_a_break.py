def entry(x):
    """An assertion that fails is a break of its own: stock hides it behind the first."""
    n = 1
    try:
        x = opaque(x)  # ! disabled_tensor | x = plain(x)
        assert n < 0  # ! assertion | assert n > 0
    except AssertionError:
        x = x + 1
    return x * 2
