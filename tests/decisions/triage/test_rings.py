from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.triage.rings import rings

graphs = st.dictionaries(st.integers(1, 8), st.lists(st.integers(1, 9), max_size=4))


def reachable(graph: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    ahead = [to for to in graph[start] if to in graph]
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead.extend(to for to in graph[node] if to in graph)
    return found


@given(graphs)
def test_a_ring_is_all_that_reach_each_other(graph: dict[int, list[int]]) -> None:
    expected = {
        node: tuple(sorted(other for other in reachable(graph, node) if node in reachable(graph, other)))
        for node in graph
        if node in reachable(graph, node)
    }
    assert rings(graph) == expected


def test_a_long_chain_is_no_ring_and_no_failure() -> None:
    chain = {number: [number + 1] for number in range(1, 50_000)}
    assert rings(chain) == {}
    closed = {**chain, 50_000: [1]}
    assert len(rings(closed)[1]) == 50_000
