"""Manifests checked before they reach a cluster."""
