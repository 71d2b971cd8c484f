"""Requirements that leave nothing."""

from builders.manifests import a_pool_text, a_provisioner_text, a_requirement, codes_of, the_finding

CPU = "karpenter.k8s.aws/instance-cpu"
FAMILY = "karpenter.k8s.aws/instance-family"
NEW = a_requirement("karpenter.k8s.aws/instance-generation", "4", operator="Gt")


def test_the_requirement_that_empties_a_pool_is_named_with_the_one_it_clashes_with():
    pool = a_pool_text(
        requirements=[
            NEW,
            a_requirement(FAMILY, "m7g"),
            a_requirement("karpenter.sh/capacity-type", "spot"),
            a_requirement("kubernetes.io/arch", "amd64"),
        ]
    )
    finding = the_finding("NW-2107", pool)

    assert finding.path == ("spec", "template", "spec", "requirements", 3)
    assert finding.message.endswith(
        "meets kubernetes.io/arch In [amd64] together with karpenter.k8s.aws/instance-family In [m7g]"
    )


def test_one_requirement_can_empty_a_pool_alone():
    pool = a_pool_text(requirements=[NEW, a_requirement(CPU, "100000", operator="Gt")])

    assert (
        "meets karpenter.k8s.aws/instance-cpu Gt [100000]" in the_finding("NW-2107", pool).message
    )


def test_two_lists_of_one_key_that_share_nothing_leave_nothing():
    pool = a_pool_text(
        requirements=[
            NEW,
            a_requirement("topology.kubernetes.io/zone", "eu-west-1a"),
            a_requirement("topology.kubernetes.io/zone", "eu-west-1b"),
        ]
    )

    assert "NW-2107" in codes_of(pool)


def test_too_many_values_asked_for_are_found():
    pool = a_pool_text(
        requirements=[
            NEW,
            a_requirement(FAMILY, "m7g", "m6g", minValues=2),
            a_requirement(CPU, "7", minValues=5, operator="Lt"),
        ]
    )

    assert "lower it to 3" in the_finding("NW-2108", pool).help


def test_reserved_capacity_is_not_the_tables_to_judge():
    pool = a_pool_text(requirements=[NEW, a_requirement("karpenter.sh/capacity-type", "reserved")])

    assert codes_of(pool) == []


def test_windows_is_not_the_tables_to_judge():
    pool = a_pool_text(requirements=[NEW, a_requirement("kubernetes.io/os", "windows")])

    assert codes_of(pool) == []


def test_what_the_webhooks_of_its_time_added_counts_for_a_provisioner():
    pool = a_provisioner_text(requirements=[a_requirement(FAMILY, "m7g")])
    finding = the_finding("NW-2107", pool)

    assert "kubernetes.io/arch In [amd64] (the default of its time)" in finding.message
    assert finding.path == ("spec", "requirements", 0)
