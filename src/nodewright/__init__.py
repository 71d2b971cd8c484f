"""Nodewright: a Kubernetes node autoscaler that says why."""
