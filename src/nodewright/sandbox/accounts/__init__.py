"""Ready-made accounts: AWS and the cluster as a person or a tool would have left them."""
