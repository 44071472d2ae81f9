"""Methods that do harm to their own process, to texts and to results; see `hostile_methods`."""

import builtins
import contextlib
import json
import locale
import os
import resource
import signal
import subprocess
import sys

import numpy as np

from support.hostile_methods import NO_RESULT, Hostile, method

TOO_MUCH = "^it printed more than 1 MB$"


# ---- the state of its process --------------------------------------------------------------------


@method("ok")
def changes_folder():
    os.chdir("/")


@method("ok")
def changes_mask():
    os.umask(0o777)


@method("ok")
def changes_locale():
    for name in ("de_DE.UTF-8", "C"):
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, name)


@method("ok")
def clears_environment():
    os.environ.clear()


@method("ok")
def closes_streams():
    for number in (0, 1, 2):
        os.close(number)


@method("ok")
def closes_all_files():
    os.closerange(0, 1024)


@method("ok")
def removes_streams():
    sys.stdout = sys.stderr = sys.stdin = None


@method("ok")
def lowers_priority():
    os.nice(10)


@method("failed", r"^its results could not be written \(Too many open files\)$")
def limits_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


@method("failed", r"^its results could not be written \(File too large\)$")
def limits_their_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@method("failed", "Permission denied|Operation not permitted")
def drops_rights():
    os.setgid(65534)
    os.setuid(65534)


@method("ok")
def lifts_its_memory_limit():
    """Root could lift it; everybody else finds that it is a hard one."""
    assert len(set(resource.getrlimit(resource.RLIMIT_DATA))) == 1


@method("ok")
def ignores_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


# ---- output and input ----------------------------------------------------------------------------


@method("failed", TOO_MUCH)
def prints():
    while True:
        print("x" * 999)


@method("failed", TOO_MUCH)
def writes():
    while True:
        os.write(2, b"x" * 5000)


@method("failed", TOO_MUCH)
def lets_a_program_print():
    subprocess.run(["yes"])


@method("ok", logs=r"killed \d process(es)? that the method left behind")
def leaves_a_program_that_prints():
    loop = "while echo still here; do sleep 0.01; done"
    subprocess.Popen(["sh", "-c", loop], start_new_session=True)


@method("ok", logs="between \ufffd\ufffd and \\\\udc80")
def prints_no_text():
    os.write(1, b"between \xff\xfe")
    print(" and \udc80")


@method("failed", "EOFError")
def reads():
    input()


# ---- errors --------------------------------------------------------------------------------------


@method("failed", r"^ValueError: no \\udc80 and \\x00$")
def says_no_text():
    raise ValueError("no \udc80 and \x00")


@method("failed", "^ValueError: x{1900,1990} …$")
def says_much():
    raise ValueError("x" * 10**6)


@method("failed", "BaseException: nobody catches this$")
def raises_the_base_of_all():
    raise BaseException("nobody catches this")


class Unspeakable(Exception):
    def __str__(self):
        raise Unspeakable


@method("failed", "^Unspeakable$")
def raises_the_unspeakable():
    raise Unspeakable


@method("failed", "RecursionError")
def recurses():
    recurses.harm()


class Endless:
    def __repr__(self):
        return repr(self)


@method("failed", "SIGSEGV|RecursionError|MemoryError")
def recurses_without_limit():
    sys.setrecursionlimit(10**9)
    repr(Endless())


@method("failed", r"MemoryError: more memory was asked for than the limit of \d+ MiB$")
def eats_memory():
    [np.zeros(10**7) for _ in range(10**3)]


class CannotBeMade(Hostile):
    ends, says = "failed", "^ValueError: not today$"

    def __init__(self, n_clusters=2):
        raise ValueError("not today")


class HasNoNumber(Hostile):
    ends, says = "failed", "^AttributeError: .*n_clusters"

    def __init__(self, n_clusters=2):
        pass


class HasNoViews(Hostile):
    ends, says = "failed", "^TypeError: views is a secret$"

    class Secret(str):
        def __eq__(self, other):
            raise TypeError("views is a secret")

    views = Secret("one")


# ---- results -------------------------------------------------------------------------------------


class CountsInNumpy(Hostile):
    ends, says = "failed", "^TypeError: .*int64 is not JSON serializable$"

    def __init__(self, n_clusters=2):
        self.n_clusters = np.int64(n_clusters)


class CountsInWords(Hostile):
    ends, says = "failed", "^its number of clusters is 'two', not a number$"

    def __init__(self, n_clusters=2):
        self.n_clusters = "two"


class HasHugeLabels(Hostile):
    ends, says = "failed", "MemoryError"

    def spoil(self, result, X):
        result.row_labels = result.row_labels + 10**12
        return result


class HasOddDetails(Hostile):
    ends, says = "failed", "^odd is complex128, neither numbers nor texts$"

    def spoil(self, result, X):
        result.details = {"odd": np.ones(len(result.criterion), complex)}
        return result


class HasObjects(Hostile):
    ends, says = "failed", "^ValueError: Object arrays cannot be saved"

    def spoil(self, result, X):
        result.details = {"odd": np.array([{}] * len(result.criterion), object)}
        return result


class HasShortParts(Hostile):
    ends, says = "failed", r"^part_short does not have a cluster for each of \d+ rows$"

    def spoil(self, result, X):
        result.details = {"part_short": np.ones((len(result.criterion), 3), int)}
        return result


# ---- replaced functions --------------------------------------------------------------------------


def refuse(*_, **__):
    raise TypeError("replaced")


@method("ok")
def replaces_open():
    builtins.open = refuse


@method("failed", "^TypeError: replaced$")
def replaces_json():
    json.dumps = refuse


@method("failed", NO_RESULT)
def replaces_rename():
    os.replace = lambda *_: None


@method("failed", r"^its results cannot be read \(.+\)$")
def replaces_the_writer_of_arrays():
    np.lib.format.write_array = lambda *_, **__: None


@method("failed", "^its results are those of other runs$")
def replaces_arange():
    arange = np.arange
    np.arange = lambda *a, **k: arange(*a, **k) + 1
