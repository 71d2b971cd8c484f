"""A real Kubernetes control plane on this machine: a playground for users, the ground for tests."""
