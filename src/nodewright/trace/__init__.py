"""Workloads over time: what pods come, how large they are, and how long they stay."""
