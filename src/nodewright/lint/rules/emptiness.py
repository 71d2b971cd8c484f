"""Requirements that leave nothing to launch, and minValues that cannot be had."""

from collections.abc import Iterator

from nodewright.lint.finding import Finding
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool, Wish


def check(stream: Stream) -> Iterator[Finding]:
    """Yield pools whose requirements no instance type meets, and name the ones that clash."""
    for pool in stream.pools:
        if not pool.is_of_ec2 or not pool.effective_wishes:
            continue
        left = stream.instances.left(pool.effective_wishes)
        if not left:
            yield from _empty(pool, stream)
        else:
            yield from _too_few(pool, stream, left)


def _empty(pool: Pool, stream: Stream) -> Iterator[Finding]:
    culprits = stream.instances.culprits(pool.effective_wishes)
    if len(culprits) == 1 and _is_named_elsewhere(culprits[0], stream):
        return
    first, others = culprits[0], culprits[1:]
    where = f" in {stream.region}" if stream.region else ""
    if not others:
        message = f"no instance type{where} meets {first}"
        advice = "change or remove this requirement"
    else:
        message = f"no instance type{where} meets {first} together with {_joined(others)}"
        advice = "widen one of them" if len(others) == 1 else "widen one of these requirements"
    at = next((wish.path for wish in culprits if not wish.is_default), first.path)
    yield Finding("NW-2107", pool.manifest, at, message, advice)


def _joined(wishes: tuple[Wish, ...]) -> str:
    return " and ".join(str(wish) for wish in reversed(wishes))


def _is_named_elsewhere(wish: Wish, stream: Stream) -> bool:
    """Tell whether every value is unknown, which the rule about names says better."""
    known = stream.instances.values_of(wish.known_key)
    return wish.operator == "In" and not set(wish.values) & known


def _too_few(pool: Pool, stream: Stream, left: int) -> Iterator[Finding]:
    instances = stream.instances
    for wish in pool.wishes:
        requirement = wish.read()
        if wish.min_values is None or requirement is None:
            continue
        if not instances.is_judged(wish.known_key):
            continue
        count = instances.count_values(wish.known_key, left, requirement)
        if count < wish.min_values:
            yield Finding(
                "NW-2108",
                pool.manifest,
                (*wish.path, "minValues"),
                f"minValues asks for {wish.min_values} values of {wish.key}, and the requirements "
                f"leave {count}",
                f"lower it to {count} or widen the other requirements",
            )
