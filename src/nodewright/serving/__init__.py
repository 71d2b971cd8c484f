"""A small HTTP server: probes, metrics and the journal's API are answered by it."""
