"""Numbers as text."""


def bar(value, width=20, full="#"):
    """A bar for a share from 0 to 1."""
    return (full * round(value * width)).ljust(width, ".")
