"""What the public API raises."""


class AnalysisError(ValueError):
    """A source that cannot be read or parsed, or an option that names nothing. The message is one line."""


class OptionError(ValueError):
    """An option that names something that does not exist or cannot be read. The message is for the user."""
