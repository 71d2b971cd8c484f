"""The same plan for people who keep infrastructure as code: commands, manifests, values.

What is printed is made from the deeds of the plan, so it says what an installation would do and nothing
else. A call of AWS becomes a command of aws-cli with its parameters as they are.
"""

import shlex
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import yaml
from botocore import xform_name

from nodewright.install.found import Json
from nodewright.install.steps import Apply, Ask, AwaitNodes, Deed, Drain, Merge, Plan, Remove

_WIDTH: Final = 10_000


def print_documents(documents: list[Json]) -> str:
    """Write objects as a stream of YAML."""
    return "".join(f"---\n{_yaml(one)}" for one in documents)


def print_manifests(plan: Plan) -> str:
    """Write every object that the plan puts on the cluster."""
    found = [
        deed.document for step in plan.changes for deed in step.deeds if isinstance(deed, Apply)
    ]
    return print_documents(found)


def print_values(values: Json) -> str:
    """Write values for the Helm chart."""
    return _yaml(values)


def print_commands(plan: Plan) -> str:
    """Write the plan as commands of aws-cli and kubectl, in order."""
    lines = ["#!/bin/sh", "set -eu", f"export AWS_REGION={shlex.quote(plan.region)}"]
    for step in plan.changes:
        lines += ["", f"# {step.sign} {step.title}", *print_deeds(step.deeds)]
    return "\n".join(lines) + "\n"


def print_call(deed: Ask) -> str:
    """Write a call of AWS as a command of aws-cli."""
    service, _, operation = deed.call.partition(".")
    text = shlex.quote(msgspec.json.encode(deed.params).decode())
    return f"aws {service} {xform_name(operation, '-')} --cli-input-json {text}"


def print_deeds(deeds: Iterable[Deed]) -> Iterator[str]:
    """Write deeds as commands of aws-cli and kubectl, a line each; an object takes several."""
    for deed in deeds:
        match deed:
            case Ask():
                yield print_call(deed)
            case Apply(document=document):
                yield "kubectl apply --server-side --force-conflicts -f - <<'END'"
                yield _yaml(document).rstrip("\n")
                yield "END"
            case Merge(path=path, patch=patch):
                text = shlex.quote(msgspec.json.encode(patch).decode())
                yield f"kubectl patch --type merge {_target(path)} -p {text}"
            case Remove(path=path):
                yield f"kubectl delete --ignore-not-found {_target(path)}"
            case Drain(node=node):
                yield f"kubectl drain --ignore-daemonsets --delete-emptydir-data {shlex.quote(node)}"
            case AwaitNodes(group=group):
                wanted = shlex.quote(f"eks.amazonaws.com/nodegroup={group}")
                yield f"kubectl wait --for condition=Ready --timeout 10m nodes -l {wanted}"
            case _:
                # The record is for the installer alone.
                continue


def _target(path: str) -> str:
    parts = path.split("/")
    kind, name = parts[-2], parts[-1]
    if "namespaces" in parts[:-2]:
        space = parts[parts.index("namespaces") + 1]
        return f"-n {shlex.quote(space)} {kind} {shlex.quote(name)}"
    return f"{kind} {shlex.quote(name)}"


def _yaml(value: Json) -> str:
    text = yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False, width=_WIDTH)
    return str(text)
