"""An oracle: it runs a kernel, un-jitted, and counts what the run did, by the project's counting rules."""

from tests.oracle.run import run
from tests.oracle.trace import CacheTraffic, Movement, Trace

__all__ = ["CacheTraffic", "Movement", "Trace", "run"]
