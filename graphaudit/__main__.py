"""`python -m graphaudit`: the same as the command."""

from __future__ import annotations

from graphaudit.cli import main

if __name__ == "__main__":
    main()
