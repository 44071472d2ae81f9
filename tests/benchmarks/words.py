"""Speed of counting pairs of words in windows against a Counter over the same windows."""

import time
from collections import Counter
from itertools import combinations

import numpy as np

from benchmarks.timing import Target

WORDS, TOKENS, DOCUMENT, VOCABULARY = 30_000, 2_000_000, 200, 1000


def _documents():
    """Texts whose words are as unevenly frequent as in a language."""
    rng = np.random.Generator(np.random.PCG64(0))
    ids = np.minimum(WORDS - 1, rng.zipf(1.2, TOKENS) - 1)
    names = np.array([f"w{i}" for i in range(WORDS)])
    return [
        " ".join(names[ids[first : first + DOCUMENT]]) for first in range(0, TOKENS, DOCUMENT)
    ], [f"w{i}" for i in range(VOCABULARY)]


def counted_plainly(documents, vocabulary, window=5) -> Counter:
    """Pairs of the vocabulary in sliding windows, as one would write it."""
    known, pairs = set(vocabulary), Counter()
    for text in documents:
        tokens = text.split()
        for first in range(max(1, len(tokens) - window + 1)):
            inside = sorted({word for word in tokens[first : first + window] if word in known})
            pairs.update(combinations(inside, 2))
    return pairs


def measure(repetitions: int) -> dict:
    """Time both in turn, on one thread; the best time of each counts."""
    from recoco.metrics.coherence import count_windows

    documents, vocabulary = _documents()
    count_windows(documents[:2], vocabulary, stem=False)  # compiled code does not count
    best = {"ours": np.inf, "counter": np.inf}
    for _ in range(min(repetitions, 3)):
        begin = time.thread_time()
        ours = count_windows(documents, vocabulary, stem=False)
        best["ours"] = min(best["ours"], time.thread_time() - begin)
        begin = time.thread_time()
        plain = counted_plainly(documents, vocabulary)
        best["counter"] = min(best["counter"], time.thread_time() - begin)
    return {
        "tokens": TOKENS,
        "vocabulary": VOCABULARY,
        "seconds": best,
        "ratio": best["counter"] / best["ours"],
        "counts_equal": int(ours.pairs.sum()) == sum(plain.values()),
    }


def targets(results: dict) -> list[Target]:
    return [
        Target(
            "coherence counting",
            "a Counter over windows",
            results["ratio"],
            10,
            note="the same counts" if results["counts_equal"] else "NOT the same counts",
        )
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    same = "the same counts" if results["counts_equal"] else "NOT the same counts"
    spent = results["seconds"]
    return (
        "## Pairs of words in windows\n\n"
        "| what | ratio | what it says |\n|---|---:|---|\n"
        f"| a Counter over windows / ours | {results['ratio']:.1f} | {results['tokens']} words, "
        f"{results['vocabulary']} of them counted: {spent['counter']:.2f} s against "
        f"{spent['ours']:.2f} s; {same} |\n"
    )
