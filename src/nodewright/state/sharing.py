"""Equal parts of pods kept once.

The pods of a Deployment differ in their names and hardly in anything else. Keeping one spec and one
set of labels for all of them saves most of the memory that a large cluster's pods take, and whoever
looks at pods later can tell by identity that two ask for the same.
"""

import msgspec

from nodewright.model.pod import Pod, PodSpec


class PodSharer:
    """Remembers specs and labels that it has seen."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._specs: dict[bytes, PodSpec] = {}
        self._labels: dict[bytes, dict[str, str]] = {}

    def share(self, pod: Pod) -> Pod:
        """Give the pod with parts that equal known ones replaced by those."""
        encode = self._encoder.encode
        spec = self._specs.setdefault(encode(pod.spec), pod.spec)
        labels = self._labels.setdefault(encode(pod.metadata.labels), pod.metadata.labels)
        if spec is pod.spec and labels is pod.metadata.labels:
            return pod
        metadata = msgspec.structs.replace(pod.metadata, labels=labels)
        return Pod(metadata, spec, pod.status)
