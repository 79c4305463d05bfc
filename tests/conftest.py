"""What all tests share. Property tests judge outcomes, not the machine: no example has a deadline by the clock."""

from hypothesis import HealthCheck, settings

settings.register_profile("roofscan", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roofscan")

pytest_plugins = ("tests.support.fixture_results",)
