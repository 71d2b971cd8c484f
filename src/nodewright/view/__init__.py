"""What every face shows, as values: made from what is known of a cluster, and drawn elsewhere."""
