import no_such_package_anywhere


def compare_not_importable():
    return no_such_package_anywhere.f, len, ()
