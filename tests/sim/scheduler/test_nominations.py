"""Nominations: one row is judged as it would be among all of them."""

from hypothesis import given
from hypothesis import strategies as st

from builders import a_node, a_pod
from builders.lives import with_spec
from nodewright.sim.scheduler.nominations import Nominations
from nodewright.sim.scheduler.shape import Shape
from nodewright.sim.scheduler.table import NodeTable

SIZES = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=6)


def a_shape(number, cpu, priority):
    pod = with_spec(a_pod(f"p{number}", cpu=str(cpu)), priority=priority)
    return Shape(number, pod, None, lambda _, own: frozenset((own,)))


@given(SIZES, st.integers(1, 6), st.integers(0, 6))
def test_a_row_has_room_for_a_pod_just_as_all_rows_are_told_to(sizes, cpu, bound):
    table = NodeTable()
    row = table.put(a_node("n", cpu=str(cpu)))
    nominations = Nominations(table)
    shapes = [a_shape(number, *size) for number, size in enumerate(sizes)]
    for number, shape in enumerate(shapes):
        if number < bound:
            nominations.add(f"p{number}", "n", shape)

    for number, shape in enumerate(shapes):
        alone = nominations.fits_on(f"p{number}", shape, row)
        assert alone == bool(nominations.fits(f"p{number}", shape)[row])
