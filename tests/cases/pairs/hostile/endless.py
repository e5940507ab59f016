"""A pair that never ends."""

import time


def forever():
    while True:
        time.sleep(0.01)


def compare_hangs():
    return forever, (lambda: True), ()
