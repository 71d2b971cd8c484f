"""What replaced what is followed from command to command, with what it saved."""

from nodewright.journal.chains import find_links, follow
from nodewright.journal.reading import Entry
from nodewright.journal.records import CameOf, Decided
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE

PRICES = {"dear": 400, "cheap": 100}


def a_decision(kind, subject, reason="", uid="", **content):
    name = f"D-{kind}-{subject}".replace("/", "-")
    return Decided(name, "look", 1, "test", kind, subject, reason, uid, content=content)


def a_launch(name, pods=()):
    metadata = {"name": name, "labels": {NODEPOOL: "general"}}
    return a_decision(
        "Launch", f"nodeclaims.karpenter.sh/{name}", claim={"metadata": metadata}, pods=list(pods)
    )


def joined(name, kind):
    """Give what is decided when the machine of a claim becomes a node."""
    node = f"node-{name}"
    labels = {INSTANCE_TYPE: kind, ZONE: "a", CAPACITY_TYPE: "spot", NODEPOOL: "general"}
    change = {"metadata": {"labels": labels}}
    return [
        a_decision("Change", f"nodes/{node}", "Registration", change=change),
        a_decision(
            "Change",
            f"nodeclaims.karpenter.sh/{name}",
            "Registered",
            change={"status": {"nodeName": node}},
        ),
    ]


def a_command(old, kind, *made, pods=()):
    leaving = {
        "claim": old, "node": f"node-{old}", "node_pool": "general", "instance_type": kind,
        "zone": "a", "capacity_type": "spot", "price": PRICES[kind], "pods": list(pods),
    }  # fmt: skip
    record = {"id": f"C-{old}", "replacements": list(made)}
    claims = [{"metadata": {"name": name, "labels": {NODEPOOL: "general"}}} for name in made]
    return a_decision(
        "Disrupt", f"nodeclaims.karpenter.sh/{old}", "Underutilized",
        leaving=[leaving], record=record, claims=claims,
    )  # fmt: skip


def gone(name):
    return a_decision("Release", f"nodeclaims.karpenter.sh/{name}", "Finalized")


def lives_of_two():
    """Give a claim that was made for a pod, and replaced by a cheaper one."""
    decisions = [
        a_decision("Tell", "nodepools.karpenter.sh/general"),
        a_decision("Tell", "nodepools.karpenter.sh/other"),
        a_launch("old", pods=["uid-p"]),
        a_decision("Nominate", "pods/shop/p", uid="uid-p", host="old"),
        *joined("old", "dear"),
        a_command("old", "dear", "new", pods=["shop/p"]),
        *joined("new", "cheap"),
        gone("old"),
    ]
    return [Entry(one) for one in decisions]


def links(entries):
    return find_links(entries, lambda _, labels: PRICES.get(labels[INSTANCE_TYPE]))


def test_a_link_says_what_went_what_came_and_what_it_saved():
    (link,) = links(lives_of_two())

    assert [one.node for one in link.gone] == ["node-old"]
    assert [(one.node, one.instance_type) for one in link.made] == [("node-new", "cheap")]
    assert (link.state, link.saved) == ("done", 300)


def test_a_price_that_is_not_known_makes_the_saving_unknown():
    (link,) = find_links(lives_of_two(), lambda *_: None)

    assert link.saved is None


def test_a_chain_is_followed_both_ways_and_others_are_left_out():
    entries = [
        *lives_of_two(),
        *map(Entry, [a_command("new", "cheap", "newer"), *joined("newer", "cheap")]),
        *map(Entry, [a_command("stranger", "dear")]),
    ]
    chain = follow(links(entries), "node-new")

    assert [one.decision for one in chain] == [one.decision for one in links(entries)[:2]]
    assert [one.state for one in chain] == ["done", "begun"]
    assert follow(links(entries), "node-stranger") == links(entries)[2:]
    assert follow(links(entries), "nobody") == []


def test_a_command_that_could_not_be_begun_is_no_link():
    command = a_command("old", "dear")
    failed = CameOf(command.id, 2, "Conflict")

    assert links([Entry(command, failed)]) == []
