"""The one error type a person is meant to read."""


class RecocoError(ValueError):
    """One sentence: what is wrong, where, and what to do about it.

    It is a ValueError, because that is what callers of an estimator expect for bad input. Where a
    ValueError of another library is caught, let a RecocoError pass first.
    """


class NoResults(RecocoError):
    """Nothing has been computed yet."""

    def __init__(self) -> None:
        super().__init__(
            "No results yet: run `make quick` or `make reproduce` first; "
            "if that failed, logs/ says why."
        )
