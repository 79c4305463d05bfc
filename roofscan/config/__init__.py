"""What one run is set to: options, `[tool.roofscan]`, machines and facts."""
