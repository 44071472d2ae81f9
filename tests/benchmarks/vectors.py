"""A whole WC-NMTF fit with hand-written vector code against the same fit with plain numba loops.

Each fit runs in a process of its own: the loops are chosen before the kernels are compiled. Seconds
are those of the processor, so that other work on the machine counts for little.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Target

CLUSTERS = 20
ITERATIONS = 100
SHORT = 2  # iterations of the fit that compiles all that the timed one needs
LEAST = 1.3  # below this ratio the vector code is not worth keeping
_FIT = """
import hashlib, json, sys, time
if sys.argv[1] == "plain":
    from benchmarks import plain_loops
    sys.modules["recoco.kernels.factors_vectors"] = plain_loops
from scipy import sparse
from recoco.methods.nmtf import WCNMTF
X = sparse.load_npz(sys.argv[2])
clusters, iterations, short = map(int, sys.argv[3:])
WCNMTF(clusters, max_iter=short).fit_runs(X, [0])
began = time.process_time()
runs = WCNMTF(clusters, max_iter=iterations).fit_runs(X, [0])
seconds = time.process_time() - began
digest = hashlib.sha256(runs.row_labels.tobytes() + runs.criterion.tobytes()).hexdigest()
print(json.dumps({"seconds": seconds, "digest": digest}))
"""


def measure(repetitions: int) -> dict:
    """Fit WC-NMTF to NG20 with both, in turn; the least seconds of each count."""
    from scipy import sparse

    from benchmarks.spherical import _matrix

    X, data = _matrix()
    fits = {"vectors": [], "plain": []}
    with tempfile.TemporaryDirectory() as folder:
        matrix = Path(folder) / "X.npz"
        sparse.save_npz(matrix, sparse.csr_matrix(X))
        for _ in range(repetitions):
            for loops, found in fits.items():
                found.append(_fit(loops, matrix, Path(folder) / loops))
    digests = {fit["digest"] for found in fits.values() for fit in found}
    seconds = {loops: min(fit["seconds"] for fit in found) for loops, found in fits.items()}
    return {
        "data": data,
        "seconds": seconds,
        "ratio": seconds["plain"] / seconds["vectors"],
        "same_bits": len(digests) == 1,
    }


def _fit(loops: str, matrix: Path, cache: Path) -> dict:
    """Run one fit; a cache for each kind of loops, since compiled kernels contain them."""
    numbers = [str(number) for number in (CLUSTERS, ITERATIONS, SHORT)]
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(map(str, sys.path)),
    }
    done = subprocess.run(
        [sys.executable, "-c", _FIT, loops, str(matrix), *numbers],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def targets(results: dict) -> list[Target]:
    note = "same bits" if results["same_bits"] else "the results differ"
    return [Target("WC-NMTF, vector code", "plain numba loops", results["ratio"], LEAST, note=note)]


def markdown(results: dict) -> str:
    """The result in a sentence."""
    vectors, plain = results["seconds"]["vectors"], results["seconds"]["plain"]
    return (
        "## Vector code of the factorisations\n\n"
        f"A whole WC-NMTF fit ({results['data']}, {CLUSTERS} clusters, one start) takes "
        f"{vectors:.1f} s of one core with the vector code and {plain:.1f} s with plain numba "
        f"loops, a ratio of {results['ratio']:.1f}; the results "
        f"{'are' if results['same_bits'] else 'are not'} the same to the bit.\n"
    )
