"""The one package that knows torch's internals. Only the child imports its parts."""
