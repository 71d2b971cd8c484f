"""A policy document as a value: statements that allow or deny.

A statement applies to a request when its action, its resource and every one of its conditions fit.
Whom it is about (`Principal`) is looked at by those who know the caller.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from nodewright.sandbox.iam.conditions import Condition, holds
from nodewright.sandbox.iam.context import Context
from nodewright.sandbox.iam.globs import matches, matches_resource, read_glob
from nodewright.sandbox.iam.variables import expand, variable_keys

NEW_VERSION, OLD_VERSION = "2012-10-17", "2008-10-17"


class Effect(StrEnum):
    """What a statement does to the requests that it applies to."""

    ALLOW = "Allow"
    DENY = "Deny"


class Span(msgspec.Struct, frozen=True):
    """Where a statement stands in the text of its document; lines and columns start at 1."""

    start_line: int = 0
    start_column: int = 0
    end_line: int = 0
    end_column: int = 0


class PrincipalSet(msgspec.Struct, frozen=True):
    """Whom a statement of a resource policy or a trust document names, by kind."""

    anyone: bool = False
    aws: tuple[str, ...] = ()
    service: tuple[str, ...] = ()
    federated: tuple[str, ...] = ()
    canonical: tuple[str, ...] = ()


class Statement(msgspec.Struct, frozen=True):
    """One rule. The `other_…` flags mean that the element was written with `Not` in front."""

    effect: Effect
    actions: tuple[str, ...]
    resources: tuple[str, ...] = ("*",)
    conditions: tuple[Condition, ...] = ()
    principals: PrincipalSet | None = None
    sid: str = ""
    other_actions: bool = False
    other_resources: bool = False
    other_principals: bool = False
    span: Span = Span()


class Policy(msgspec.Struct, frozen=True):
    """A document with the name by which people know it (a policy's name or its ARN).

    `origin` tells what it hangs on, in the words of the simulator: `user`, `group`, `role`,
    `aws-managed`, `user-managed`, `resource` or `none`.
    """

    statements: tuple[Statement, ...]
    name: str = ""
    version: str = OLD_VERSION
    origin: str = "none"

    @property
    def has_variables(self) -> bool:
        """Tell whether `${…}` means something in this document."""
        return self.version == NEW_VERSION


def names_action(statement: Statement, action: str) -> bool:
    """Tell whether a statement is about an action; upper and lower case do not matter."""
    found = any(matches(read_glob(one), action, ignore_case=True) for one in statement.actions)
    return found is not statement.other_actions


def names_resource(statement: Statement, resource: str, context: Context, policy: Policy) -> bool:
    """Tell whether a statement is about a resource."""
    found = False
    for text in statement.resources:
        glob = expand(text, context) if policy.has_variables else read_glob(text)
        if glob is not None and matches_resource(glob, resource):
            found = True
    return found is not statement.other_resources


def failed_conditions(
    statement: Statement, context: Context, policy: Policy
) -> tuple[Condition, ...]:
    """Give the conditions of a statement that a request does not meet."""
    return tuple(
        one
        for one in statement.conditions
        if not holds(one, context, variables=policy.has_variables)
    )


def needed_keys(statement: Statement, policy: Policy) -> Iterator[str]:
    """Yield every condition key that the outcome of a statement may depend on."""
    texts = list(statement.resources)
    for one in statement.conditions:
        yield one.key
        texts.extend(one.values)
    if policy.has_variables:
        for text in texts:
            yield from variable_keys(text)
