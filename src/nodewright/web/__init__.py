"""The dashboard: what faces show, as JSON and pages for browsers; it changes nothing."""
