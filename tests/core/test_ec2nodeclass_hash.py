"""Stamps: claims first, then the class; what has drifted is not forgiven."""

from builders.lives import a_claim, with_conditions, with_meta
from core.test_ec2nodeclass import a_class, facts
from nodewright.core.ec2nodeclass_hash import stamp_ec2_class
from nodewright.model.hashing import EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION, HASH_VERSION

STAMP = {EC2NODECLASS_HASH: "1-2", EC2NODECLASS_HASH_VERSION: HASH_VERSION}


def a_launched_claim(name="claim", **annotations):
    return with_meta(a_claim(name, true=("Launched",)), annotations=annotations)


def stamps(node_class, *claims, fingerprint="1-2"):
    found = stamp_ec2_class(node_class, facts(fingerprint=fingerprint), list(claims))
    return {one.subject.name: one.change["metadata"]["annotations"] for one in found}


def test_a_class_is_stamped_once():
    assert stamps(a_class()) == {"standard": STAMP}
    assert stamps(with_meta(a_class(), annotations=STAMP)) == {}
    assert stamps(a_class(), fingerprint="") == {}


def test_claims_of_another_making_are_stamped_before_their_class():
    old = a_launched_claim(**{EC2NODECLASS_HASH: "9", EC2NODECLASS_HASH_VERSION: "v6"})
    bare = a_launched_claim("bare")

    assert stamps(a_class(), old, bare) == {"claim": STAMP, "bare": STAMP}
    assert stamps(with_meta(a_class(), annotations=STAMP), bare) == {"bare": STAMP}


def test_a_claim_that_has_drifted_keeps_its_fingerprint():
    drifted = with_conditions(a_launched_claim(), Drifted="True")

    assert stamps(a_class(), drifted) == {"claim": {EC2NODECLASS_HASH_VERSION: HASH_VERSION}}


def test_our_own_stamp_is_never_rewritten():
    mine = a_launched_claim(**{**STAMP, EC2NODECLASS_HASH: "0-0"})

    assert stamps(with_meta(a_class(), annotations=STAMP), mine) == {}
    assert stamps(with_meta(a_class(), annotations=STAMP), a_claim("unborn")) == {}
