"""Running texts: folders, packed files, Wikipedia dumps and the texts of cards."""

import bz2
import gzip
import re
import tarfile

import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import texts
from recoco.datasets.texts import TextFiles, documents_of, plain, shown_progress
from recoco.metrics import coherence
from recoco.metrics.coherence import corpus_for, count_windows
from support.datasets_fixture import card, make_home, sha


def test_folder_of_texts(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "b.txt").write_text("two cats")
    (tmp_path / "deep" / "er" / "a.txt").write_bytes("caf\u00e9 cats".encode())
    (tmp_path / "deep" / "notes.md").write_text("not this")
    (tmp_path / "bad.txt").write_bytes(b"broken \xff cats")
    folder = TextFiles(tmp_path)
    assert sorted(folder) == ["broken \ufffd cats", "caf\u00e9 cats", "two cats"]
    assert folder.share_read == 1.0
    assert sorted(folder) == sorted(folder)  # may be read again
    assert list(TextFiles(tmp_path / "b.txt")) == ["two cats"]
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"packed cats"))
    assert list(TextFiles(tmp_path / "b.txt.gz")) == ["packed cats"]
    assert count_windows(folder, ["cat"]).single.tolist() == [3]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecocoError, match=r"no \.txt files"):
        TextFiles(tmp_path / "empty")
    with pytest.raises(RecocoError, match="There is no"):
        TextFiles(tmp_path / "nowhere")


def test_long_text_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "_PIECE", 16)
    words = [f"word{i}" for i in range(50)]
    (tmp_path / "long.txt").write_text(" ".join(words))
    pieces = list(TextFiles(tmp_path / "long.txt"))
    assert len(pieces) > 10 and max(map(len, pieces)) < 64
    assert " ".join(pieces).split() == words
    (tmp_path / "one.txt").write_text("x" * 100)  # nowhere to cut
    assert "".join(TextFiles(tmp_path / "one.txt")) == "x" * 100


def dump(*pages: str) -> str:
    space = "http://www.mediawiki.org/xml/export-0.10/"
    return f'<mediawiki xmlns="{space}"><siteinfo/>{"".join(pages)}</mediawiki>'


def page(text: str, ns: int = 0, extra: str = "") -> str:
    inner = f"<revision><id>1</id><text>{text}</text></revision>"
    return f"<page><title>T</title><ns>{ns}</ns>{extra}{inner}</page>"


def test_wikipedia_dump(tmp_path):
    content = dump(
        page("'''Cats''' chase [[Mus musculus|mice]]{{cite|a={{b}}}}&lt;ref&gt;dogs&lt;/ref&gt;."),
        page("talk of cats", ns=1),
        page("cats", extra='<redirect title="X"/>'),
        page("[[Mouse]] eats [http://x.org/dogs cheese] [[File:a.png|thumb|a [[dog]]]]"),
    ).encode()
    (tmp_path / "w.xml").write_bytes(content)
    (tmp_path / "w.xml.bz2").write_bytes(bz2.compress(content[:200]) + bz2.compress(content[200:]))
    (tmp_path / "w.xml.gz").write_bytes(gzip.compress(content))
    for name in ("w.xml", "w.xml.bz2", "w.xml.gz"):
        source = TextFiles(tmp_path / name)
        found = [" ".join(text.split()) for text in source]
        assert found == ["Cats chase mice .", "Mouse eats cheese"]
        assert source.share_read == 1.0
    counts = count_windows(TextFiles(tmp_path / "w.xml.bz2"), ["cat", "mous", "chase", "dog"])
    assert counts.single.tolist() == [1, 1, 1, 0]


def test_unreadable_dumps_are_sentences(tmp_path):
    whole = dump(page("cats")).encode()
    cases = {
        "cut.xml": whole[:-30],
        "cut.xml.bz2": bz2.compress(whole)[:-10],
        "odd.xml.bz2": b"this is no archive",
        "odd.xml": b"no markup at all",
        "cut.xml.gz": gzip.compress(whole)[:-12],
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RecocoError, match=re.escape(name)) as caught:
            count_windows(TextFiles(tmp_path / name), ["cat"])
        assert "\n" not in str(caught.value)
    (tmp_path / "none.xml").write_bytes(dump().encode())
    with pytest.raises(RecocoError, match=r"^none\.xml has no pages"):
        list(TextFiles(tmp_path / "none.xml"))


def test_dump_is_never_held(tmp_path):
    """What was read of the dump is let go: the tree does not grow with the pages."""
    import tracemalloc

    def peak(pages):
        path = tmp_path / f"{pages}.xml"
        path.write_text(dump(*[page("cats and dogs " * 300)] * pages))
        tracemalloc.start()
        for _ in TextFiles(path):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    assert peak(1000) < peak(100) + 200_000


def test_plain_text_of_markup():
    assert plain("a {| class\n| cell\n|} b").split() == ["a", "b"]
    assert plain("a<!-- x --><br/>b <math>x^2</math>''c''").split() == ["a", "b", "c"]
    assert plain("{{ not closed").split() == ["{{", "not", "closed"]
    assert plain("[[Category:Cats]] [[a|b]] [[c]]").split() == ["b", "c"]


def test_progress_in_a_log(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(texts, "_PLAIN_EVERY", 0.0)
    monkeypatch.setattr(coherence, "_CHUNK", 1)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("cats and dogs")
    source = TextFiles(tmp_path)
    with shown_progress(source) as progress:
        count_windows(source, ["cat"], progress=progress)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and "2 documents, 6 words" in lines[-1]


# ---- texts of cards ----------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = make_home(tmp_path, monkeypatch)
    path = tmp_path / "posts.tar"
    with tarfile.open(path, "w") as archive:
        for name, text in {"sport/1": b"From: me\n\ncats win", "news/2": b"a: b\n\ndogs"}.items():
            (tmp_path / "post").write_bytes(text)
            archive.add(tmp_path / "post", name)
    home.put("posts/posts.tar", path.read_bytes())
    content = card(
        printed_as={},
        parser={"name": "text", "archive": "posts.tar", "skip_header": True},
        expected={"rows": 2, "columns": [3], "classes": 2},
        sources=[
            {
                "kind": "mirror",
                "files": [{"at": "posts/posts.tar", "sha256": sha(path.read_bytes())}],
            }
        ],
    )
    home.write_card(content, "ng20raw")
    home.write_card(content, "bbcraw")
    monkeypatch.setenv("RECOCO_MIRROR", str(home.mirror))
    return home


def test_documents_of_a_card(home):
    assert [text.strip() for text in documents_of("ng20raw")] == ["dogs", "cats win"]
    assert (home.root / "resources" / "raw" / "ng20raw" / "receipt.json").is_file()
    with pytest.raises(RecocoError, match="no running text"):
        list(documents_of("tiny"))
    (home.mirror / "posts" / "posts.tar").unlink()
    assert [text.strip() for text in documents_of("ng20raw")] == ["dogs", "cats win"]
    with pytest.raises(RecocoError, match="unreachable"):
        list(documents_of("bbcraw"))


def test_corpus_is_other_than_the_dataset(home):
    both = ["ng20raw", "bbcraw"]
    assert corpus_for("classic4", both) == both
    assert corpus_for("ng20words", both) == corpus_for("ng20", both) == ["bbcraw"]
    assert corpus_for("bbc", both) == ["ng20raw"]
    assert corpus_for("tiny", ["tiny"]) == []
    (home.mirror / "posts" / "posts.tar").unlink()
    assert corpus_for("classic4", both) == []
