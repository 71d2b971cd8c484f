"""Names that must agree: classes that pools refer to, and objects that are there twice."""

from collections.abc import Iterator

from nodewright.lint.finding import Finding
from nodewright.lint.guess import did_you_mean, listed
from nodewright.lint.stream import Stream


def check(stream: Stream) -> Iterator[Finding]:
    """Yield references into nothing and objects of the same name."""
    yield from _check_missing(stream)
    yield from _check_classes(stream)
    yield from _check_twins(stream)


def _check_missing(stream: Stream) -> Iterator[Finding]:
    for pool in stream.pools:
        # The schemas of the other eras say so themselves.
        if pool.era == "v1beta1" and not pool.class_name:
            yield Finding(
                "NW-2010",
                pool.manifest,
                pool.class_path,
                "nodeClassRef.name is missing",
                "name the EC2NodeClass that nodes are made with",
                on="key",
            )


def _check_classes(stream: Stream) -> Iterator[Finding]:
    for era in ("v1", "v1beta1", "v1alpha"):
        names = {one.name for one in stream.classes if one.era == era}
        if not names:
            continue  # The class may stand in another file.
        for pool in stream.pools:
            if pool.era != era or not pool.is_of_ec2:
                continue
            name = pool.class_name
            if name and name not in names:
                kind = "AWSNodeTemplate" if era == "v1alpha" else "EC2NodeClass"
                yield Finding(
                    "NW-2125",
                    pool.manifest,
                    pool.class_path,
                    f"no {kind} of these files is named {name}",
                    did_you_mean(name, names) or f"there are {listed(sorted(names))}",
                )


def _check_twins(stream: Stream) -> Iterator[Finding]:
    seen: dict[tuple[str, str, str, str], str] = {}
    for manifest in stream.manifests:
        if not manifest.kind or not manifest.name:
            continue
        group = manifest.api_version.partition("/")[0]
        key = (group, manifest.kind, manifest.namespace, manifest.name)
        if key in seen:
            yield Finding(
                "NW-2126",
                manifest,
                ("metadata", "name"),
                f"another {manifest.kind} named {manifest.name} stands at {seen[key]}",
                "rename or remove one of the two",
            )
        else:
            seen[key] = manifest.file
