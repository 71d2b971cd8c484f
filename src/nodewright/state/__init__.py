"""What we know of the cluster: objects by kind, snapshots on disk and in memory."""
