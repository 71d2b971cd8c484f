"""Claims as they are written, whoever wants them."""

import msgspec

from builders import a_pool, a_taint, want
from builders.lives import with_meta
from nodewright.core.claims import Draft, name_claim, owner_of, resolve_labels, write_claim
from nodewright.model.labels import EC2NODECLASS, NODEPOOL, TERMINATION_FINALIZER, ZONE
from nodewright.model.requirements import Requirements

POOL = a_pool("p", labels={"team": "a"}, taints=(a_taint("own"),))


def test_a_claim_has_what_its_pool_gives_and_what_it_has_of_its_own():
    claim = write_claim(POOL, Draft("p-1", (), {"cpu": "1"}, {"x": "y"}, {"note": "n"}))

    assert claim.metadata.labels == {"team": "a", "x": "y", NODEPOOL: "p", EC2NODECLASS: "default"}
    assert claim.metadata.annotations["note"] == "n"
    assert claim.metadata.finalizers == (TERMINATION_FINALIZER,)
    assert claim.spec.resources.requests == {"cpu": "1"}
    assert [one.key for one in claim.spec.taints] == ["own"]


def test_a_claim_goes_with_its_pool():
    owner = owner_of(with_meta(POOL, uid="u"))

    assert (owner.api_version, owner.kind, owner.name, owner.uid) == (
        "karpenter.sh/v1", "NodePool", "p", "u",
    )  # fmt: skip
    assert msgspec.to_builtins(owner)["blockOwnerDeletion"] is True


def test_a_name_is_the_pool_and_a_hash_of_the_decision():
    assert name_claim(POOL, "D-1/0") == name_claim(POOL, "D-1/0")
    assert name_claim(POOL, "D-1/0") != name_claim(POOL, "D-1/1")
    assert name_claim(POOL, "D-1/0").startswith("p-")


def test_own_keys_are_resolved_and_well_known_ones_are_left_to_the_machine():
    wanted = Requirements.from_expressions(
        [want("team", "In", "b", "a"), want("free", "Exists"), want(ZONE, "In", "zone-a")]
    )
    labels = resolve_labels(wanted, "p-1")

    assert labels["team"] == "a"
    assert labels["free"].isdecimal()
    assert ZONE not in labels
