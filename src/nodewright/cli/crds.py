"""`nodewright crds`: the definitions that a cluster needs before any of our objects."""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.output import as_json
from nodewright.crds.document import as_yaml, definitions


def crds(
    *,
    legacy: Annotated[
        bool,
        Parameter(help="Add Provisioner and AWSNodeTemplate, the first two.", negative=""),
    ] = False,
    kwok: Annotated[
        bool,
        Parameter(help="Add KWOKNodeClass, for --cloud kwok.", negative=""),
    ] = False,
    output: Annotated[
        Literal["yaml", "json"],
        Parameter(name=["--output", "-o"], help="How to print the result."),
    ] = "yaml",
) -> int:
    """Print the CustomResourceDefinitions, ready for kubectl.

    They are the same fields and rules as Karpenter's, and one kind of our own, NodePolicy.

    $ nodewright crds | kubectl apply --server-side -f -
    $ nodewright crds --legacy
    $ nodewright crds --kwok
    $ nodewright crds -o json
    """
    documents = definitions(legacy=legacy, kwok=kwok)
    if output == "json":
        sys.stdout.write(as_json({"apiVersion": "v1", "kind": "List", "items": documents}))
    else:
        sys.stdout.write("---\n".join(as_yaml(document) for document in documents))
    return EXIT_FINE
