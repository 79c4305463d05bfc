"""Machine files (`data/*.toml`): ceilings, caches and prices, each with its source."""
