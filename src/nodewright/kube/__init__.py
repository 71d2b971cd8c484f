"""The Kubernetes API: watch a cluster into the mirror, act on it, lead or stand by."""
