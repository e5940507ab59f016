"""The one package that knows torch's internals.

Only the child imports its parts, but for `registry`, which reads a file of torch's and imports
nothing of it.
"""

from __future__ import annotations
