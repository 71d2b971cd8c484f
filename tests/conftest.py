"""How often a property is tried: a little in `make test`, very often in `make soak`."""

from hypothesis import HealthCheck, settings

# The quick round tries the same examples every time, so that a red build is red for everybody.
settings.register_profile("quick", max_examples=200, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "soak",
    max_examples=100_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("quick")
