"""The one error type a person is meant to read."""


class RecocoError(Exception):
    """One sentence: what is wrong, where, and what to do about it."""
