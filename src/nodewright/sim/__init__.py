"""Virtual time: a cluster and a cloud in memory, on one seeded event loop."""
