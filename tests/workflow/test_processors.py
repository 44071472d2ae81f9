"""Another processor gives the same partitions, or the difference is known and named.

numba compiles for the processor at hand, BLAS and numpy choose among loops for different ones, and
with that the last bits of a sum may change. Here all three are told to be on an older processor.
"""

import json
import platform
import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info

from support.projects import CHECKOUT, environment_of

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        platform.machine() not in ("x86_64", "AMD64"), reason="the names are those of x86"
    ),
]

# Methods of different families that compile within seconds, and more than one run in a hundred.
METHODS = ("coclus", "comraf", "dcc", "multinmf", "tucker-kmeans")
# It finds clusters of rows by k-means, whose numbers depend on the last bits, and those of the
# columns follow them when runs are stored.
NUMBERED_OTHERWISE = {"multinmf"}
OLDER = ("Nehalem", "Prescott")


def test_an_older_processor_gives_the_same_partitions(mini, tmp_path):
    import scipy.linalg  # noqa: F401  loads BLAS

    here = {about.get("architecture") for about in threadpool_info()}
    asked = next(name for name in OLDER if name not in here)
    env = {
        "OPENBLAS_CORETYPE": asked,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),  # the kernels of the processor at hand stay as they are
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX2 FMA3 AVX512F",
    }
    script = CHECKOUT / "tests" / "support" / "other_processor.py"
    done = subprocess.run(
        [sys.executable, script, *METHODS],
        cwd=mini,
        env={**environment_of(mini), **env},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    if found["blas"] != [asked]:
        pytest.skip(f"BLAS is built for one processor ({found['blas']}), not for any")
    assert found["numba"] == ["generic", ""]
    assert set(found["outcomes"]) == set(METHODS)
    for method, sides in found["outcomes"].items():
        for side, outcome in sides.items():
            if outcome == "identical":
                continue
            about = f"{method}, {side}: {outcome} on {asked}"
            print(about)
            assert outcome == "the same clusters, numbered otherwise", about
            assert method in NUMBERED_OTHERWISE, about
