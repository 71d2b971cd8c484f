"""What a launch rests on, told in the log once for each change: the version, the image, the template.

The words are Karpenter's, and so is their order: whoever reads its log finds the same steps here.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

from nodewright.aws.choice import FLEXIBLE_TYPES_MIN, Choice
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.ports.cloud import LaunchFailed, LaunchRequest

_log: Final = logging.getLogger("nodewright.aws")
SAID_MAX: Final = 10_000


class Telling:
    """Remembers what it has said."""

    def __init__(self) -> None:
        self._version = ""
        self._images: dict[tuple[str, str], None] = {}

    def tell_version(self, version: str) -> None:
        """Tell for which version of Kubernetes machines are made, where it is another one."""
        if version != self._version:
            self._version = version
            _say("discovered kubernetes version", {"kubernetes-version": version})

    def tell_images(self, node_class: EC2NodeClass, images: Iterable[str]) -> None:
        """Tell which images a class's machines start from, each once."""
        name = node_class.metadata.name
        names = {one.id: one.name for one in node_class.status.amis}
        for image in sorted(set(images)):
            if (name, image) in self._images:
                continue
            if len(self._images) >= SAID_MAX:
                self._images.clear()
            self._images[name, image] = None
            facts = {"EC2NodeClass": {"name": name}, "ami": image, "ami-name": names.get(image, "")}
            _say("discovered ami", facts)


def tell_narrow(request: LaunchRequest, choice: Choice) -> None:
    """Warn that spot would do, and that so few types may be bought that on demand is."""
    types = sorted({one.type.name for one in choice.candidates})
    facts = {
        "NodeClaim": {"name": request.claim},
        "NodePool": {"name": request.node_pool},
        "instance-types": types,
    }
    _log.warning(
        "on demand is bought though spot would do, and only %d types may be: allow at least %d",
        len(types),
        FLEXIBLE_TYPES_MIN,
        extra={"facts": facts},
    )


def tell_no_spot(failed: LaunchFailed) -> None:
    """Warn that nothing is bought as spot, because the account lacks the role for it."""
    _log.warning(
        "nothing is bought as spot for a while, because the account has no service-linked role for "
        "it: create it with aws iam create-service-linked-role --aws-service-name spot.amazonaws.com",
        extra={"facts": {"error": failed.message}},
    )


def tell_template(name: str, answer: Mapping[str, Any]) -> None:
    """Tell that a launch template was made."""
    made = answer.get("LaunchTemplate") or {}
    facts = {
        "launch-template-name": name,
        "launch-template-id": str(made.get("LaunchTemplateId", "")),
    }
    _say("created launch template", facts)


def _say(message: str, facts: Mapping[str, object]) -> None:
    _log.info("%s", message, extra={"facts": facts})
