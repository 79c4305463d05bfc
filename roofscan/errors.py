"""What the public API raises."""


class AnalysisError(ValueError):
    """A source that cannot be read or parsed, or an option that names nothing. The message is one line."""


class OptionError(ValueError):
    """An option that names something that does not exist or cannot be read. The message is for the user. ``key``: the
    option, where the message does not name it."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message, key)
        self.message, self.key = message, key

    def __str__(self) -> str:
        return self.about(self.key)

    def about(self, key: str) -> str:
        """The message of an option that is called so here."""
        return f"{key}: {self.message}" if key else self.message
