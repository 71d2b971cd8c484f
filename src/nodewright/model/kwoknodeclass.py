"""KWOKNodeClass (`karpenter.kwok.sh/v1alpha1`): the class of Karpenter's own KWOK provider.

It says nothing of a machine but how long it takes to become a node; its types are the catalog's.
"""

from typing import Annotated

from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.schema import about
from nodewright.model.schema_requirements import StatusCondition

DELAY_PATTERN = r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$|^0$"


class KWOKNodeClassSpec(Struct, frozen=True):
    """How machines are played."""

    node_registration_delay: Annotated[
        str,
        about("How long a machine takes to become a node, such as 30s.", pattern=DELAY_PATTERN),
    ] = "0s"


class KWOKNodeClassStatus(Struct, frozen=True):
    """Whether nodes can be made."""

    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class KWOKNodeClass(Struct, frozen=True):
    """How machines that exist only in the API are made into nodes."""

    metadata: ObjectMeta
    spec: Annotated[KWOKNodeClassSpec, about("How machines are played.")] = KWOKNodeClassSpec()
    status: Annotated[KWOKNodeClassStatus, about("Whether nodes can be made.")] = (
        KWOKNodeClassStatus()
    )
