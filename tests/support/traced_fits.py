"""Fit methods and print, as JSON, the top-level definitions of recoco that were executed.

Meant for NUMBA_DISABLE_JIT=1, so that kernels can be seen at work. A fit that takes too long that
way is stopped: what ran until then ran. Functions that only exist as machine code do nothing: the
numbers are wrong then, but what is called is still called by the code.
"""

import inspect
import json
import signal
import sys
from pathlib import Path

from numba.core.extending import _Intrinsic

import recoco
from recoco.engine.warm import compile_kernels

PACKAGE = str(Path(recoco.__file__).parent)
SECONDS = 2


def executed(variant: dict) -> dict:
    """Return the definitions whose code ran during a small fit, as ``module:name``."""
    codes, error = set(), ""

    def note(frame, event, argument):
        codes.add(frame.f_code)

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    sys.settrace(note)
    try:
        compile_kernels([variant])
    except Exception as problem:  # code that only runs when it is compiled
        error = f"{type(problem).__name__}: {problem}"
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    found = set()
    for code in codes:
        name = code.co_qualname.partition(".")[0]
        function = code.co_flags & inspect.CO_OPTIMIZED  # not the body of a class, run by imports
        if function and code.co_filename.startswith(PACKAGE) and not name.startswith("<"):
            path = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
            found.add(f"{'.'.join(('recoco', *path.parts)).removesuffix('.__init__')}:{name}")
    return {"executed": sorted(found), "error": error}


if __name__ == "__main__":
    _Intrinsic.__call__ = lambda self, *arguments: 0.0
    out, sys.stdout = sys.stdout, sys.stderr
    json.dump([executed(variant) for variant in json.load(sys.stdin)], out)
