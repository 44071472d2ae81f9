"""The one error type a person is meant to read."""


class RecocoError(Exception):
    """One sentence: what is wrong, where, and what to do about it."""


class NoResults(RecocoError):
    """Nothing has been computed yet."""

    def __init__(self) -> None:
        super().__init__(
            "No results yet: run `make quick` or `make reproduce` first; "
            "if that failed, logs/ says why."
        )
