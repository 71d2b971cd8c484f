"""Use is read from the lists of the metrics API."""

from nodewright.view.usage import Usage, Used, read_usage

NODES = b"""{"items": [
 {"metadata": {"name": "n"}, "usage": {"cpu": "156340n", "memory": "1Ki"}},
 {"metadata": {"name": "odd"}, "usage": {"cpu": "much", "memory": "1Ki"}},
 {"metadata": {"name": "none"}}]}"""
PODS = b"""{"items": [
 {"metadata": {"name": "p", "namespace": "shop"}, "containers": [
   {"name": "a", "usage": {"cpu": "1m", "memory": "1Ki"}},
   {"name": "b", "usage": {"cpu": "2m", "memory": "1Ki"}}]},
 {"metadata": {"name": "new", "namespace": "shop"}, "containers": []}]}"""


def test_nodes_and_the_containers_of_pods_are_summed_up():
    assert read_usage(NODES, PODS, 7) == Usage(
        7, {"n": Used(1, 1_024_000)}, {"shop/p": Used(3, 2_048_000)}
    )


def test_what_is_no_list_has_nothing_in_it():
    assert read_usage(b"oops", b"{}", 7) == Usage(7)
