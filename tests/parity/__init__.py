"""The differential test: the same problems for us and for Karpenter's own scheduler."""
