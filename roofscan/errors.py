"""What the public API raises."""


class AnalysisError(ValueError):
    """A source that cannot be read or parsed, or an option that names nothing. The message is one line."""
