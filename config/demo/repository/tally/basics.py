"""Sums and means."""


def total(values):
    """The sum of `values`; 0 for none."""
    result = 0
    for value in values:
        result = result + value
    return result


def mean(values):
    """The arithmetic mean."""
    return total(values) / len(values)
