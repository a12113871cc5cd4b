"""A mapping that is copied at its first change, and never where nothing changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.copy_on_write import CopyOnWrite

_KEYS = st.integers(0, 5)
_MAPS = st.dictionaries(_KEYS, st.integers())
_CHANGES = st.lists(st.tuples(st.sampled_from(["set", "pop", "keep"]), _KEYS, st.integers()), max_size=12)


@given(_MAPS, _CHANGES)
def test_it_does_what_a_dictionary_does_and_leaves_what_was_given_as_it_is(
    given_: dict[int, int], changes: list[tuple[str, int, int]]
) -> None:
    before, plain, copied = dict(given_), dict(given_), CopyOnWrite(given_)
    for how, key, value in changes:
        if how == "set":
            plain[key] = copied[key] = value
        elif how == "pop":
            assert copied.pop(key, None) == plain.pop(key, None)
        else:
            assert copied.setdefault(key, value) == plain.setdefault(key, value)
        assert (dict(copied), copied.now, len(copied)) == (plain, plain, len(plain))
        assert [*copied.items()] == [*plain.items()]
        assert (key in copied, copied.get(key)) == (key in plain, plain.get(key))
    assert given_ == before


def test_what_is_not_changed_is_not_copied() -> None:
    given_ = {1: 2}
    copied = CopyOnWrite(given_)
    assert copied.get(3) is None
    assert copied.pop(3, None) is None
    assert copied.now is given_
