"""How far values lie apart."""


def spread(values):
    """The distance from the smallest to the largest value."""
    values = sorted(values)
    return values[-1] - values[0]
