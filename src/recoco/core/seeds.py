"""Seeds derived from the identity of a run, never from its position in a queue."""

import hashlib

import numpy as np


def stable_hash(text: str) -> int:
    """Return 128 bits of SHA-256: the same on every machine and in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def seed_of(master: int, identity: str, run: int) -> int:
    """Return the 128-bit seed of one run of the setting called ``identity``."""
    state = np.random.SeedSequence([master, stable_hash(identity), run]).generate_state(4)
    return int.from_bytes(state.astype(">u4").tobytes(), "big")


def generator_of(master: int, identity: str) -> np.random.Generator:
    """Return a generator for a computation that belongs to ``identity`` as a whole."""
    return np.random.default_rng(np.random.SeedSequence([master, stable_hash(identity)]))


def seeds_of_runs(master: int, identity: str, runs: range, shared: bool) -> list[int]:
    """Return the seeds of some runs of a setting.

    Methods that share their starts use seeds of their dataset and weighting, so run r of each
    begins from the same partition.
    """
    name = f"{identity.rpartition('/')[0]}/*" if shared else identity
    return [seed_of(master, name, run) for run in runs]
