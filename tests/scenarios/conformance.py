"""What a control plane does, case by case; true of the model and of the real one alike.

A case gets a plane with a namespace of its own. Statuses are compared as classes where Kubernetes
itself has several (201 for a create, 200 for the rest).
"""

from scenarios import conformance_objects, conformance_pods
from scenarios.cases import CASES

__all__ = ["CASES", "conformance_objects", "conformance_pods"]
