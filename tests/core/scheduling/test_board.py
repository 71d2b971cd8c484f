"""The board: each rule can say no by name, and what is put can be taken back exactly."""

import pytest

from builders import (
    a_csi_node,
    a_daemon_set,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_spread,
    a_taint,
    a_term,
    a_type,
    a_volume,
    a_volume_claim,
    an_offering,
    pods,
    want,
)
from builders.solving import a_board
from nodewright.core.scheduling.board import Fitting
from nodewright.model.labels import ARCH, HOSTNAME, INSTANCE_TYPE, ZONE
from nodewright.model.reason import Reason

WEB, DB = {"app": "web"}, {"app": "db"}
NODE = a_node(cpu=4)


def shape_of(shapes, name="new"):
    return next(one for one in shapes if one.pods[0].metadata.name.startswith(name))


def host_answer(*things):
    board, shapes = a_board(*things)
    shape = shape_of(shapes)
    return board.on_host(shape, shape.ladder[0], board.hosts[0])


def draft_answer(*things, **options):
    board, shapes = a_board(*things, **options)
    shape = shape_of(shapes)
    return board.on_draft(shape, shape.ladder[0], board.new_draft(board.supplies[0]))


def put(board, shape, draft=None):
    draft = draft or board.new_draft(board.supplies[0])
    fitting = board.on_draft(shape, shape.ladder[0], draft)
    assert isinstance(fitting, Fitting)
    board.put_on_draft(shape, 0, draft, fitting)
    return draft


@pytest.mark.parametrize(
    ("reason", "things"),
    [
        (None, [a_pod("new", cpu=1)]),
        (Reason.NODE_FULL, [a_pod("new", cpu=5)]),
        (Reason.NODE_FULL, [a_pod("new"), a_pod("big", cpu=9, node=NODE)]),
        (Reason.LABELS_CLASH, [a_pod("new", selector={ZONE: "zone-b"})]),
        (
            Reason.LABELS_CLASH,
            [a_pod("new", terms=[[want(ZONE, "In", "a"), want(ZONE, "NotIn", "a")]])],
        ),
        (Reason.LABEL_UNDEFINED, [a_pod("new", selector={"team": "a"})]),
        (Reason.PORT_TAKEN, [a_pod("new", ports=[80]), a_pod("old", ports=[80], node=NODE)]),
        (
            Reason.VOLUME_ELSEWHERE,
            [
                a_pod("new", claims=["data"]),
                a_volume_claim(volume="v"),
                a_volume("v", zones=["zone-b"]),
            ],
        ),
        (
            Reason.VOLUMES_FULL,
            [
                a_pod("new", claims=["data"]),
                a_volume_claim(volume="v"),
                a_volume("v"),
                a_csi_node("node", 0),
            ],
        ),
        (Reason.SPREAD, [a_pod("new", labels=WEB, spread=[a_spread("rack")])]),
        (Reason.AFFINITY, [a_pod("new", labels=DB, near=[a_term()])]),
        (
            Reason.ANTI_AFFINITY,
            [a_pod("new", apart=[a_term()]), a_pod("old", labels=WEB, node=NODE)],
        ),
        (
            Reason.KEPT_AWAY,
            [a_pod("new", labels=WEB), a_pod("old", apart=[a_term()], node=NODE)],
        ),
    ],
)
def test_an_existing_node_says_which_rule_keeps_a_pod_off(reason, things):
    assert host_answer(*things, NODE, a_type()) is reason


def test_a_taint_of_an_existing_node_is_told():
    tainted = a_node(taints=[a_taint("gpu")])
    assert host_answer(a_pod("new"), tainted, a_type()) is Reason.TAINT_NOT_TOLERATED


@pytest.mark.parametrize(
    ("reason", "things"),
    [
        (Reason.TAINT_NOT_TOLERATED, [a_pod("new"), a_pool(taints=[a_taint("gpu")]), a_type()]),
        (Reason.NO_TYPE_FITS, [a_pod("new", cpu=5), a_type(cpu=4)]),
        (Reason.NO_TYPE_FITS, [a_pod("new", requests={"gpu": 1}), a_type()]),
        (Reason.PORT_TAKEN, [a_pod("new", ports=[80]), a_daemon_set(ports=[80]), a_type()]),
        (Reason.LABEL_UNDEFINED, [a_pod("new", selector={"team": "a"}), a_type()]),
        (
            Reason.LABELS_CLASH,
            [
                a_pod("new", selector={"team": "a"}),
                a_pool(labels={"team": "b"}),
                a_type(),
            ],
        ),
        (Reason.SPREAD, [a_pod("new", labels=WEB, spread=[a_spread("rack")]), a_type()]),
        (Reason.AFFINITY, [a_pod("new", labels=DB, near=[a_term(ZONE)]), a_type()]),
        (Reason.LIMIT_REACHED, [a_pod("new", cpu=1), a_pool(limits={"cpu": 3}), a_type(cpu=4)]),
        (
            Reason.TOO_FEW_CHOICES,
            [
                a_pod("new", cpu=3),
                a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=2)]),
                a_type("s", cpu=2),
                a_type("m", cpu=4),
            ],
        ),
    ],
)
def test_a_new_node_says_which_rule_keeps_a_pod_off(reason, things):
    assert draft_answer(*things) is reason


def test_a_zero_amount_of_an_unknown_resource_fits():
    assert isinstance(draft_answer(a_pod("new", requests={"gpu": 0}), a_type()), Fitting)


def test_volume_alternatives_are_tried_in_order():
    claim, volume = a_volume_claim(volume="v"), a_volume("v", zones=["zone-z", "zone-b"])
    fitting = draft_answer(a_pod("new", cpu=1, claims=[claim]), claim, volume, a_type())
    assert fitting.state.value(ZONE) == "zone-b"


def test_a_draft_narrows_with_every_pod():
    arm, amd = a_type("arm", labels={ARCH: "arm64"}), a_type("amd")
    board, shapes = a_board(
        a_pod("any", cpu=1), a_pod("tied", cpu=1, selector={ARCH: "arm64"}), arm, amd
    )
    draft = put(board, shape_of(shapes, "any"))
    assert len(draft.supply.alive_types(draft.bits)) == 2
    put(board, shape_of(shapes, "tied"), draft)
    assert draft.supply.alive_names(draft.bits) == ("arm",)
    assert len(board.drafts) == 1


def test_what_is_lifted_comes_back_exactly():
    board, (shape,) = a_board(
        pods(2, cpu=1, labels=WEB, spread=[a_spread()]), a_pool(limits={"cpu": 40}), a_type()
    )
    draft = put(board, shape)
    (group,) = shape.ladder[0].owns
    limits = board.limits[draft.supply]
    before = (dict(group.counts), dict(limits.room), draft.totals[:], draft.state, draft.bits)
    lifted = board.lift(draft)
    assert (draft.pod_count, group.total) == (0, 0)
    board.lower(draft, lifted)
    assert (dict(group.counts), dict(limits.room), draft.totals, draft.state, draft.bits) == before


def test_pods_put_easily_leave_a_draft_to_be_freshened():
    board, (shape,) = a_board(pods(4, cpu=1), a_type("s", cpu=2), a_type("l", cpu=8))
    draft = put(board, shape)
    board.put_easily(shape, 0, draft, 3)
    assert draft.stale
    board.freshen(draft)
    assert draft.supply.alive_names(draft.bits) == ("l",)
    assert draft.pod_count == 4


def test_drafts_of_one_load_are_opened_together_within_limits():
    board, (shape,) = a_board(pods(5, cpu=3, ports=[80]), a_pool(limits={"cpu": 12}), a_type(cpu=4))
    opened = board.open_alike(put(board, shape), 4)
    assert len(opened) == 2
    assert [draft.number for draft in board.drafts] == [0, 1, 2]


def test_drafts_are_not_opened_together_where_domains_are_shared():
    board, (shape,) = a_board(pods(5, cpu=3, labels=WEB, spread=[a_spread()]), a_type())
    assert board.open_alike(put(board, shape), 4) == []


def test_a_host_that_got_a_pod_has_less_left_and_counts_it():
    node, claim = a_managed_node(cpu=4)
    board, (shape,) = a_board(
        pods(2, cpu=3, labels=WEB, apart=[a_term(HOSTNAME)]), node, claim, a_type()
    )
    (host,) = board.hosts
    wish = shape.ladder[0]
    board.put_on_host(shape, wish, host, shape.pods[0])
    assert host.available["cpu"] == 1000
    assert board.on_host(shape, wish, host) is Reason.NODE_FULL
    assert wish.owns[0].count("node") == 1


def test_the_emptiest_domain_comes_before_the_cheapest():
    node, claim = a_managed_node(cpu=1, zone="zone-a")
    cheap_a = a_type(offerings=[an_offering("zone-a", price=1), an_offering("zone-b", price=2)])
    fitting = draft_answer(
        a_pod("new", cpu=2, labels=WEB, spread=[a_spread(skew=5)]),
        a_pod("old", labels=WEB, node=node),
        node,
        claim,
        cheap_a,
    )
    assert fitting.state.value(ZONE) == "zone-b"
