"""Simulated platforms: one child process becomes one of them, on a machine that has none.

Beside `_dynamo` the one package that uses torch's private names. `names` alone is read outside the
child; it imports nothing.
"""
