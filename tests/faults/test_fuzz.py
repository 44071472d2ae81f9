"""Broken files by the thousand: one sentence or a sound result, never a crash or a hang."""

import faulthandler
import random
import signal
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recoco.core.errors import RecocoError
from recoco.core.limits import call_limited
from recoco.datasets import archives
from recoco.datasets.parsers import get_parser
from recoco.datasets.preparation import _canonical, _classes
from support.faults import some_of
from support.fuzz_corpus import CORPUS, STORIES, broken, debian, tarred, zipped

# For each of the files of the corpus, of which there are more than thirty.
ALL_CASES = 600
CASES = some_of(ALL_CASES)


@pytest.fixture(autouse=True)
def quiet_crashes():
    """Keep pytest from telling at length of crashes that are met where they happen."""
    faulthandler.disable()
    yield
    faulthandler.enable()


class Hang(BaseException):
    """A case took too long; no parser may catch this."""


def sound(parsed) -> None:
    """Check what a parser found as `prepare` will use it."""
    rows = len(parsed.labels)
    assert len(parsed.views) == len(parsed.terms) and parsed.views
    for view, terms in zip(parsed.views, parsed.terms, strict=True):
        view.check_format(full_check=True)
        assert view.shape[0] == rows
        assert terms is None or len(terms) == view.shape[1]
        _canonical(view, "real")
    codes, names = _classes(parsed, {})
    assert codes.size == rows and (rows == 0 or codes.max() < len(names))


def told(work) -> str:
    """Do something with a file; return what is wrong with the way it went, "" if nothing is."""
    signal.setitimer(signal.ITIMER_REAL, 20)
    try:
        with np.errstate(all="ignore"):
            work()
    except RecocoError as error:
        said = str(error)
        return "" if said and "\n" not in said else f"not one sentence: {said!r}"
    except Hang:
        return "it hangs"
    except Exception as error:  # what must not happen
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def read(folder, name: str, files: dict[str, bytes]) -> str:
    """Parse files; return what is wrong with the way it went, "" if nothing is."""
    for file, content in files.items():
        (folder / file).write_bytes(content)
    return told(lambda: sound(get_parser(name.split()[0])(folder, CORPUS[name][1])))


def give_up(*_):
    raise Hang


def contained(folder, work):
    """Run cases where a crash, a hang or an appetite for memory does no harm."""
    signal.signal(signal.SIGALRM, give_up)
    note = folder / "case"
    ending = call_limited(lambda: work(note), seconds=600, megabytes=2000)
    last = note.read_text() if note.exists() else "none"
    assert ending.status == "ok", f"{ending.error}, at case {last}"
    return ending.value


@pytest.mark.parametrize("name", CORPUS)
def test_sound_files_are_read(tmp_path, name):
    signal.signal(signal.SIGALRM, give_up)
    for file, content in CORPUS[name][0].items():
        (tmp_path / file).write_bytes(content)
    sound(get_parser(name.split()[0])(tmp_path, CORPUS[name][1]))


@pytest.mark.parametrize("name", CORPUS)
def test_broken_files_end_in_a_sentence_or_a_sound_result(tmp_path, name):
    inside, files = tmp_path / "inside", CORPUS[name][0]
    inside.mkdir()

    def work(note):
        found = []
        for case in range(CASES):
            rng = random.Random(zlib.crc32(f"{name} {case}".encode()))
            chosen = rng.choice(sorted(files))
            note.write_text(f"{case} ({chosen})")
            wrong = read(inside, name, files | {chosen: broken(files[chosen], rng)})
            if wrong:
                found.append(f"case {case} ({chosen}): {wrong}")
        return found

    assert contained(tmp_path, work) == []
    assert {path.name for path in tmp_path.iterdir()} <= {"inside", "case"}
    assert {path.name for path in inside.iterdir()} == set(files)


# ---- whatever bytes and names there are -------------------------------------------------------

ANYTHING = settings(
    max_examples=600,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@ANYTHING
@given(
    name=st.sampled_from([name for name in CORPUS if not name.startswith("mat")]),
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)),
    place=st.integers(0, 10),
)
def test_any_bytes_at_all(tmp_path, name, content, place):
    signal.signal(signal.SIGALRM, give_up)
    files = CORPUS[name][0]
    chosen = sorted(files)[place % len(files)]
    assert read(tmp_path, name, files | {chosen: content}) == ""


def members(path) -> list:
    """Read an archive in both ways; return its members, [] where a sentence refuses it."""
    try:
        archives.read_member(path, "a/1.txt")
        return list(archives.iter_members(path))
    except RecocoError as error:
        assert "\n" not in str(error)
        return []


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.zip", zipped),
        ("a.tar", lambda content: tarred(content, "w")),
        ("a.tar.gz", tarred),
        ("a.tar.xz", lambda content: tarred(content, "w:xz")),
        ("a.deb", debian),
    ],
)
def test_broken_archives_are_refused_or_read(tmp_path, name, pack):
    inside, whole = tmp_path / "inside", pack(STORIES)
    inside.mkdir()
    (inside / name).write_bytes(whole)
    assert dict(members(inside / name)) == STORIES

    def work(note):
        for case in range(CASES):
            rng = random.Random(zlib.crc32(f"{name} {case}".encode()))
            (inside / name).write_bytes(broken(whole, rng))
            note.write_text(str(case))
            members(inside / name)

    contained(tmp_path, work)
    assert [path.name for path in inside.iterdir()] == [name]


@ANYTHING
@given(
    names=st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(["../x", "/tmp/x", "a/../../x", "a\\..\\x", "C:\\x", "a/1.txt", "."]),
        ),
        max_size=4,
    ),
    kind=st.sampled_from(["zip", "tar"]),
)
def test_no_name_of_a_member_leads_out(tmp_path, names, kind):
    content = {name: b"x" for name in names if "\x00" not in name and name.isprintable()}
    path = tmp_path / f"a.{kind}"
    path.write_bytes(zipped(content) if kind == "zip" else tarred(content, "w"))
    for name, _ in members(path):
        assert ".." not in name.split("/") and not name.startswith("/") and "\\" not in name
    assert [found.name for found in tmp_path.iterdir() if found != path] in (
        [],
        ["a.zip"],
        ["a.tar"],
    )
