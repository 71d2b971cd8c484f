"""The label algebra: a set for every operator, and every pair of sets meets or says why not."""

from itertools import combinations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import want
from nodewright.model.labels import WELL_KNOWN, ZONE
from nodewright.model.requirements import (
    NUMBER_MAX,
    BadRequirement,
    Requirement,
    Requirements,
    read_requirement,
)

KEY = "example.com/key"
NOTHING_UNDEFINED: frozenset[str] = frozenset()

# The sets of the tables below, by the name that the tables use.
SETS = {
    "exists": ("Exists",),
    "absent": ("DoesNotExist",),
    "in_a": ("In", "a"),
    "in_b": ("In", "b"),
    "in_ab": ("In", "a", "b"),
    "in_1": ("In", "1"),
    "in_9": ("In", "9"),
    "in_19": ("In", "1", "9"),
    "not_a": ("NotIn", "a"),
    "not_b": ("NotIn", "b"),
    "not_ab": ("NotIn", "a", "b"),
    "not_1": ("NotIn", "1"),
    "not_19": ("NotIn", "1", "9"),
    "gt_1": ("Gt", "1"),
    "gt_9": ("Gt", "9"),
    "lt_1": ("Lt", "1"),
    "lt_9": ("Lt", "9"),
    "gte_1": ("Gte", "1"),
    "gte_9": ("Gte", "9"),
    "lte_1": ("Lte", "1"),
    "lte_9": ("Lte", "9"),
}
WITNESSES = ("a", "b", "c", "0", "1", "2", "5", "8", "9", "10", "001", "-1", "1.5", "")

# Every small set is spelled out once and drawn by its number: one choice an example keeps a hundred
# thousand of them quick. Bounds make most of the corners, so they are listed several times.
EXPRESSIONS = [
    *(
        want(KEY, operator, *values)
        for operator in ("In", "NotIn")
        for size in range(4)
        for values in combinations(WITNESSES, size)
    ),
    *(want(KEY, operator) for operator in ("Exists", "DoesNotExist")),
    *(
        want(KEY, operator, str(number))
        for operator in 4 * ("Gt", "Lt", "Gte", "Lte")
        for number in range(-3, 13)
    ),
]
WITH_COUNT = [
    msgspec.structs.replace(expression, min_values=least)
    for expression in EXPRESSIONS
    for least in (None, 1, 3)
]
READ = [read_requirement(expression) for expression in WITH_COUNT]
SIMPLE = st.sampled_from(READ)
COMBINED = st.integers(0, len(READ) ** 2 - 1).map(
    lambda number: READ[number // len(READ)].intersect(READ[number % len(READ)])
)


def read(operator: str, *values: str, key: str = KEY) -> Requirement:
    return read_requirement(want(key, operator, *values))


def named(name: str) -> Requirement:
    return read(*SETS[name])


def just(*requirements: Requirement) -> Requirements:
    return Requirements(requirements)


def holds(operator: str, values: tuple[str, ...], value: str) -> bool:
    """What Kubernetes says of a label that is there, in the words of its documentation."""
    match operator:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists" | "DoesNotExist":
            return operator == "Exists"
    try:
        have, bound = int(value), int(values[0])
    except ValueError:
        return False
    return {
        "Gt": have > bound,
        "Gte": have >= bound,
        "Lt": have < bound,
        "Lte": have <= bound,
    }[operator]


@pytest.mark.parametrize("name", SETS)
def test_an_operator_allows_what_kubernetes_says(name):
    operator, *values = SETS[name]

    for value in WITNESSES:
        assert named(name).has(value) is holds(operator, tuple(values), value), value


@pytest.mark.parametrize("left", SETS)
def test_the_intersection_of_two_operators_allows_what_both_allow(left):
    for right in SETS:
        both = named(left).intersect(named(right))

        for value in WITNESSES:
            shared = named(left).has(value) and named(right).has(value)
            assert both.has(value) is shared, (right, value)


@pytest.mark.parametrize("left", SETS)
def test_two_operators_meet_if_some_value_satisfies_both(left):
    for right in SETS:
        a, b = named(left), named(right)

        assert a.intersects(b) is share_a_witness(a, b), right


@pytest.mark.parametrize("have", SETS)
def test_two_operators_are_compatible_if_they_meet_or_both_do_without_the_label(have):
    for need in SETS:
        a, b = named(have), named(need)
        both_shun = {SETS[have][0], SETS[need][0]} <= {"NotIn", "DoesNotExist"}
        clash = just(a).clash(just(b), NOTHING_UNDEFINED)

        assert (clash is None) is (share_a_witness(a, b) or both_shun), need
        if clash is not None:
            assert (clash.key, clash.have, clash.want) == (KEY, a, b)


def share_a_witness(a: Requirement, b: Requirement) -> bool:
    return any(a.has(value) and b.has(value) for value in WITNESSES)


def test_absent_goes_with_not_in_but_not_with_a_bound():
    assert just(named("absent")).clash(just(named("not_a")), NOTHING_UNDEFINED) is None
    assert just(named("absent")).clash(just(named("gt_1")), NOTHING_UNDEFINED) is not None
    assert just(named("absent")).clash(just(named("exists")), NOTHING_UNDEFINED) is not None


def test_a_bound_beside_an_exclusion_still_needs_the_label():
    bounded = named("gt_1").intersect(named("not_19"))

    assert not bounded.is_negative
    assert just(bounded).clash(just(named("absent")), NOTHING_UNDEFINED) is not None


def test_zero_is_a_bound():
    assert read("Gte", "0").has("0")
    assert read("Lte", "0").has("0")
    assert not read("Gte", "0").has("-1")
    assert not read("Lte", "0").has("1")
    assert read("Gte", "0").intersect(read("Lte", "0")).has("0")


def test_no_whole_number_lies_between_neighbours():
    nothing = read("Gt", "5").intersect(read("Lt", "6"))

    assert nothing == read("DoesNotExist")
    assert not read("Gt", "5").intersects(read("Lt", "6"))


def test_a_listed_result_forgets_its_bounds():
    assert named("in_19").intersect(named("gt_1")) == named("in_9")


def test_an_open_result_keeps_bounds_and_only_the_exclusions_within():
    both = named("gt_1").intersect(read("NotIn", "a", "1", "9"))

    assert (both.complement, both.values, both.low) == (True, frozenset({"9"}), 2)


def test_beyond_the_last_number_there_is_nothing():
    assert read("Gt", str(NUMBER_MAX)) == read("DoesNotExist")
    assert read("Lt", str(-NUMBER_MAX - 1)) == read("DoesNotExist")


def test_a_number_of_any_length_is_judged_not_tripped_over():
    assert read("Gt", "1").has("0" * 6000 + "5")
    assert not read("Gt", "1").has("9" * 6000)


@pytest.mark.parametrize("values", [(), ("1", "2"), ("a",), ("1.5",), ("",), (str(2**63),)])
def test_a_bound_takes_one_whole_number(values):
    with pytest.raises(BadRequirement, match="exactly one whole number"):
        read("Gt", *values)


def test_an_unknown_operator_is_refused_by_name():
    with pytest.raises(BadRequirement, match=r"'Is' of example\.com/key is unknown"):
        read("Is", "a")


@pytest.mark.parametrize("name", ["in_a", "exists", "gt_1", "lt_9"])
def test_a_custom_key_must_be_defined_to_be_asked_for(name):
    clash = just().clash(just(named(name)), WELL_KNOWN)

    assert clash is not None
    assert (clash.key, clash.have) == (KEY, None)
    assert "is not defined" in str(clash)


@pytest.mark.parametrize("name", ["not_a", "absent"])
def test_a_custom_key_need_not_be_defined_to_be_shunned(name):
    assert just().clash(just(named(name)), WELL_KNOWN) is None


def test_a_well_known_key_may_stay_undefined_where_that_is_allowed():
    zone = just(read("In", "a", key=ZONE))

    assert just().clash(zone, WELL_KNOWN) is None
    assert just().clash(zone, NOTHING_UNDEFINED) is not None


def test_a_deprecated_key_means_todays():
    pod = just(read("In", "a", key="failure-domain.beta.kubernetes.io/zone"))
    pool = just(read("In", "b", key=ZONE))

    assert list(pod) == [ZONE]
    assert pool.clash(pod, WELL_KNOWN).key == ZONE
    assert Requirements.from_labels({"beta.kubernetes.io/arch": "arm64"}).labels() == {
        "kubernetes.io/arch": "arm64"
    }


@pytest.mark.parametrize("typo", ["zone", "topology.kubernetes.io/zon", "example.com/zone"])
def test_a_typo_gets_a_hint(typo):
    clash = just().clash(just(read("In", "a", key=typo)), WELL_KNOWN)

    assert str(clash).endswith(f"did you mean {ZONE}?")


def test_a_key_like_no_other_gets_no_hint():
    clash = just().clash(just(read("In", "a", key="qwertz")), WELL_KNOWN)

    assert "did you mean" not in str(clash)


def test_a_clash_names_the_key_and_both_sides():
    clash = just(named("in_a")).clash(just(named("in_b")), NOTHING_UNDEFINED)

    assert str(clash) == f"{KEY} In [b] does not meet {KEY} In [a]"


def test_instance_types_are_held_against_shared_keys_only():
    claim = just(read("In", "a", key="team"), read("In", "amd64", key="kubernetes.io/arch"))
    kind = just(read("In", "amd64", key="kubernetes.io/arch"))

    assert kind.conflict(claim) is None
    assert claim.conflict(kind) is None


def test_several_expressions_on_one_key_intersect():
    both = Requirements.from_expressions([want(KEY, "In", "1", "9"), want(KEY, "Gt", "1")])

    assert both[KEY] == named("in_9")
    assert both.labels() == {KEY: "9"}


def test_a_long_list_is_cut_for_people():
    many = read("In", *(f"v{n}" for n in range(8)))

    assert str(many) == f"{KEY} In [v0, v1, v2, v3, v4, and 3 more]"
    assert str(named("gt_1").intersect(named("lt_9"))) == f"{KEY} Gte 2 and Lte 8"
    assert str(named("exists")) == f"{KEY} Exists"


def test_min_values_is_written_once():
    written = read_requirement(want(KEY, "Gt", "1", at_least=3)).intersect(named("lt_9"))

    assert [one.min_values for one in written.expressions()] == [3, None]


@pytest.mark.algebra
@given(COMBINED, COMBINED)
def test_intersection_is_commutative(a, b):
    assert a.intersect(b) == b.intersect(a)
    assert a.intersects(b) is b.intersects(a)


@pytest.mark.algebra
@given(SIMPLE, SIMPLE, SIMPLE)
def test_intersection_is_associative(a, b, c):
    assert a.intersect(b).intersect(c) == a.intersect(b.intersect(c))


@pytest.mark.algebra
@given(COMBINED)
def test_intersection_is_idempotent(a):
    assert a.intersect(a) == a


@pytest.mark.algebra
@given(COMBINED)
def test_existing_asks_for_nothing_but_that_the_label_is_there(a):
    both = a.intersect(named("exists"))

    assert (both.complement, both.values, both.low, both.high) == (
        a.complement,
        a.values,
        a.low,
        a.high,
    )
    assert both.operator == "DoesNotExist" or not both.is_negative


@pytest.mark.algebra
def test_a_label_that_must_be_there_and_one_that_must_not_never_meet():
    excluded = named("not_a").intersect(named("exists"))

    assert not excluded.intersects(named("absent"))
    assert not excluded.is_negative


@pytest.mark.algebra
@given(COMBINED, COMBINED, st.sampled_from(WITNESSES) | st.text(max_size=4))
def test_a_value_is_in_the_intersection_if_both_have_it(a, b, value):
    assert a.intersect(b).has(value) is (a.has(value) and b.has(value))


@pytest.mark.algebra
@given(COMBINED, COMBINED)
def test_sets_meet_exactly_if_their_intersection_has_a_value(a, b):
    both = a.intersect(b)
    nonempty = both.complement or bool(both.values)

    assert a.intersects(b) is nonempty
    if nonempty:
        witness = some_value(both)
        assert a.has(witness)
        assert b.has(witness)


def some_value(requirement: Requirement) -> str:
    """A value of a set that is not empty; leading zeros make a number that nobody excluded."""
    if not requirement.complement:
        return min(requirement.values)
    base = next((str(b) for b in (requirement.low, requirement.high) if b is not None), "1")
    sign, digits = ("-", base[1:]) if base.startswith("-") else ("", base)
    return next(
        spelled
        for zeros in range(len(requirement.values) + 1)
        if (spelled := f"{sign}{'0' * zeros}{digits}") not in requirement.values
    )


@pytest.mark.algebra
@given(COMBINED, COMBINED)
def test_compatible_means_a_shared_value_or_no_label_on_either_side(a, b):
    clash = just(a).clash(just(b), NOTHING_UNDEFINED)

    assert (clash is None) is (a.intersects(b) or (a.is_negative and b.is_negative))


@pytest.mark.algebra
@given(COMBINED)
def test_a_missing_label_satisfies_only_what_shuns_it(a):
    clash = just().clash(just(a), NOTHING_UNDEFINED)

    assert (clash is None) is a.is_negative


@pytest.mark.algebra
@given(COMBINED, COMBINED)
def test_the_larger_min_values_is_kept(a, b):
    wanted = [n for n in (a.min_values, b.min_values) if n is not None]

    assert a.intersect(b).min_values == max(wanted, default=None)
    assert a.without_min_values().min_values is None


@pytest.mark.algebra
@given(COMBINED)
def test_what_is_written_reads_back_the_same(a):
    assert Requirements.from_expressions(a.expressions())[KEY] == a


@pytest.mark.algebra
@given(st.lists(st.sampled_from(WITH_COUNT), min_size=1, max_size=4))
def test_expressions_may_come_in_any_order(expressions):
    forward = Requirements.from_expressions(expressions)
    backward = Requirements.from_expressions(reversed(expressions))

    assert forward == backward
    assert hash(forward) == hash(backward)


@pytest.mark.algebra
@given(SIMPLE, SIMPLE)
def test_both_together_ask_for_what_each_asks_for(a, b):
    other = Requirement("other", False, frozenset({"x"}))
    together = just(a).with_all([b, other])

    assert together[KEY] == a.intersect(b)
    assert together["other"] == other


@given(COMBINED, COMBINED, st.sampled_from(WITNESSES) | st.text(max_size=4))
def test_what_is_within_another_allows_nothing_that_the_other_does_not(a, b, value):
    if a.is_within(b):
        assert not a.has(value) or b.has(value)
        assert not a.is_negative or b.is_negative
    assert a.is_within(a)
    assert a.intersect(b).is_within(a) or not a.intersects(b)
