"""Parsers of raw text and of archives, on tiny files."""

import binascii
import io
import json
import tarfile
import zipfile

import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import archives
from recoco.datasets.parsers import tokens
from support.datasets_fixture import parse, refuses


def test_words_and_document_terms():
    assert tokens.words("The U.S. économie, 42 cats_and dogs!") == ["économie", "cats", "dogs"]
    view, terms, dropped = tokens.document_terms(["cat dog cat", "the", "dog bird"], min_df=2)
    assert terms == ["dog"] and view.toarray().tolist() == [[1], [0], [1]]
    assert any("2 of 3 words" in sentence for sentence in dropped)
    with pytest.raises(RecocoError, match="not a single word"):
        tokens.document_terms(["the", "12"])
    with pytest.raises(RecocoError, match="min_df"):
        tokens.document_terms(["cat"], min_df=2)


def test_uuencoded_lines_are_left_out(tmp_path):
    line = binascii.b2a_uu(bytes(range(45)), backtick=True)
    text = b"MEN AND MICE\n" + line + line[:-1] + b"\r\ncats\n" + line[:-9]
    _tar(tmp_path / "a.tar.gz", {"x/1": text})
    options = {"archive": "a.tar.gz", "skip_encoded": True}
    found = parse(tmp_path, "text", **options)
    rest = set(tokens.words(line[:-9].decode()))  # no full line: it stays
    assert set(found.terms[0]) == {"men", "mice", "cats"} | rest


def _tar(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


DOCUMENTS = {
    "top/README": b"read me",
    "top/sport/2.txt": b"Header: sport\n\ngoal goal match",
    "top/politics/1.txt": b"Header: politics\n\nelection \xa3 vote",
}


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_text_archive(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    if kind == "tar":
        _tar(path, DOCUMENTS)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in DOCUMENTS.items():
                archive.writestr(name, content)
    options = {"archive": path.name, "folder": "top", "encoding": "latin-1", "skip_header": True}
    found = parse(tmp_path, "text", **options)
    assert found.labels.tolist() == ["politics", "sport"]
    assert found.terms == [["election", "goal", "match", "vote"]]
    assert found.views[0].toarray().tolist() == [[1, 0, 0, 1], [0, 2, 1, 0]]
    assert any("README" in sentence for sentence in found.dropped)
    kept = parse(tmp_path, "text", **options, keep_fields=["HEADER"], stem=True)
    assert kept.terms == [["elect", "goal", "match", "polit", "sport", "vote"]]
    assert parse(tmp_path, "text", **options, skip_encoded=True).terms == found.terms
    refuses(tmp_path, "text", path.name, **(options | {"encoding": "utf-8"}))
    refuses(tmp_path, "text", "class folders", **(options | {"folder": "elsewhere"}))
    path.write_bytes(path.read_bytes()[:40])
    refuses(tmp_path, "text", path.name, **options)


@pytest.mark.parametrize("evil", ["../evil.txt", "/etc/evil.txt", "top/../../evil.txt"])
def test_archive_members_outside_are_refused(tmp_path, evil):
    _tar(tmp_path / "a.tar.gz", DOCUMENTS | {evil: b"x"})
    refuses(tmp_path, "text", "a.tar.gz", "outside", archive="a.tar.gz")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(evil, b"x")
    with pytest.raises(RecocoError, match="outside"):
        archives.read_member(tmp_path / "a.zip", "top/sport/2.txt")
    assert not (tmp_path.parent / "evil.txt").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path, kind):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        link = tarfile.TarInfo("top/sport/link.txt")
        link.type, link.linkname = kind, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(RecocoError, match="a link or a device"):
        list(archives.iter_members(tmp_path / "a.tar"))
    with pytest.raises(RecocoError, match="a link or a device"):
        archives.read_member(tmp_path / "a.tar", "top/sport/link.txt")
    assert list(archives.iter_members(tmp_path / "a.tar", "elsewhere")) == []  # nobody asks for it


def test_links_in_a_zip_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        link = zipfile.ZipInfo("top/sport/link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(RecocoError, match="a link or a device"):
        list(archives.iter_members(tmp_path / "a.zip"))


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_bombs_are_refused_before_they_go_off(tmp_path, monkeypatch, name):
    monkeypatch.setattr(archives, "MOST_BYTES", 10_000)
    content = {"top/sport/1.txt": b"0" * 6_000, "top/sport/2.txt": b"0" * 6_000}
    if name.endswith("zip"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in content.items():
                archive.writestr(member, text)
    else:
        _tar(tmp_path / name, content)
    with pytest.raises(RecocoError, match="unpacks to more than"):
        list(archives.iter_members(tmp_path / name))


def test_debian_member(tmp_path):
    inner = tmp_path / "data.tar.gz"
    _tar(inner, {"./usr/share/x": b"hello"})
    pieces = [(b"debian-binary", b"2.0\n"), (b"data.tar.gz", inner.read_bytes())]
    out = b"!<arch>\n"
    for name, content in pieces:
        out += name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"644".ljust(8)
        out += str(len(content)).encode().ljust(10) + b"`\n" + content + b"\n" * (len(content) % 2)
    (tmp_path / "p.deb").write_bytes(out)
    assert archives.read_member(tmp_path / "p.deb", "usr/share/x") == b"hello"
    (tmp_path / "p.deb").write_bytes(b"no archive")
    with pytest.raises(RecocoError, match=r"p\.deb"):
        archives.read_member(tmp_path / "p.deb", "usr/share/x")


def test_tab(tmp_path):
    head = "Category\tText\nd\tstring\nclass\t\n"
    (tmp_path / "a.tab").write_text(head + "\nearn\tprofit rose\x85again\n")
    (tmp_path / "b.tab").write_text(head + "\nacq\tprofit fell\n")
    found = parse(tmp_path, "tab", files=["a.tab", "b.tab"])
    assert found.labels.tolist() == ["earn", "acq"]
    assert found.terms == [["fell", "profit", "rose"]]
    (tmp_path / "b.tab").write_text(head + "acq profit fell\n")
    refuses(tmp_path, "tab", "b.tab", "line 4", files=["a.tab", "b.tab"])
    (tmp_path / "b.tab").write_text("Text\tCategory\n\n\n")
    refuses(tmp_path, "tab", "b.tab", "header", files=["a.tab", "b.tab"])


def test_octis(tmp_path):
    (tmp_path / "vocabulary.txt").write_text("learn\nsvm\n")
    (tmp_path / "corpus.tsv").write_text("svm learn svm\ttrain\t1\nlearn odd\ttest\t0\n")
    options = {"corpus": "corpus.tsv", "vocabulary": "vocabulary.txt"}
    found = parse(tmp_path, "octis", **options)
    assert found.views[0].toarray().tolist() == [[1, 2], [1, 0]]
    assert found.labels.tolist() == ["1", "0"]
    assert "1 words" in found.dropped[0]
    (tmp_path / "corpus.tsv").write_text("svm learn svm\ttrain\n")
    refuses(tmp_path, "octis", "corpus.tsv", "line 1", **options)


def test_four_area_byte_order_mark_and_areas(tmp_path):
    write = lambda name, text: (tmp_path / name).write_text(text, encoding="utf-8-sig")  # noqa: E731
    write("paper.txt", "5\tOn data\n8\tOn trees\n")
    write("term.txt", "1\tdata\n2\ttrees\n")
    write("author.txt", "4\tÉva\n")
    write("conf.txt", "36\tAAAI\n20\tVLDB\n")
    write("paper_term.txt", "5\t1\n8\t2\n")
    write("paper_author.txt", "8\t4\n")
    write("paper_conf.txt", "5\t20\n8\t36\n")
    areas = {"database": ["VLDB"], "learning": ["AAAI"]}
    found = parse(tmp_path, "four-area", areas=areas)
    assert [view.toarray().tolist() for view in found.views] == [[[1, 0], [0, 1]], [[0], [1]]]
    assert found.labels.tolist() == ["database", "learning"]
    assert found.terms[1] == ["Éva"]
    refuses(tmp_path, "four-area", "AAAI", areas={"database": ["VLDB"]})
    write("paper_conf.txt", "5\t20\n")
    refuses(tmp_path, "four-area", "paper_conf.txt", "1 papers", areas=areas)
    write("paper_conf.txt", "5\t20\n8\t36\n8\t20\n")
    refuses(tmp_path, "four-area", "paper_conf.txt", "line 3", areas=areas)
    write("paper_conf.txt", "5 20\n")
    refuses(tmp_path, "four-area", "paper_conf.txt", "line 1", areas=areas)


def test_csv_views(tmp_path):
    (tmp_path / "a.csv").write_text("0,1,0\r\n1.5,-2,7\r\n3,0,9\r\n")
    (tmp_path / "b.csv").write_text("0,0\n1,7\n2,9\n")
    found = parse(tmp_path, "csv-views", files=["a.csv", "b.csv"])
    assert [view.toarray().tolist() for view in found.views] == [[[1.5, -2], [3, 0]], [[1], [2]]]
    assert found.labels.tolist() == [7, 9]
    (tmp_path / "b.csv").write_text("0,0\n1,9\n2,9\n")
    refuses(tmp_path, "csv-views", "b.csv", "disagrees", files=["a.csv", "b.csv"])
    (tmp_path / "b.csv").write_text("0,0\n1,x\n")
    refuses(tmp_path, "csv-views", "b.csv", files=["a.csv", "b.csv"])


def test_reuters_json(tmp_path):
    stories = [
        {"title": "UP", "body": "profit rose", "topics": ["earn"]},
        {"title": "NO BODY", "topics": ["earn"]},
        {"title": "TWO", "body": "many things", "topics": ["earn", "acq"]},
        {"title": "NONE", "body": "many things"},
    ]
    options = {"archive": "r.tgz", "folder": "package/data/full"}
    _tar(tmp_path / "r.tgz", {"package/data/full/reuters-000.json": json.dumps(stories).encode()})
    found = parse(tmp_path, "reuters-json", **options)
    assert found.labels.tolist() == ["earn"]
    assert found.terms == [["profit", "rose"]]
    assert "3 of 4 stories" in found.dropped[0]
    _tar(tmp_path / "r.tgz", {"package/data/full/reuters-000.json": b"[{"})
    refuses(tmp_path, "reuters-json", "r.tgz", **options)


@pytest.mark.parametrize(
    ("story", "more"),
    [
        ("no story", {}),
        ({"body": "profit rose", "topics": {"earn": 1}}, {}),
        ({"body": "profit rose", "topics": [["earn"]]}, {"classes": {"earn": "earn"}}),
        ({"body": "profit rose", "topics": ["earn"]}, {"stories": [[1, 2]]}),
        ({"id": "one", "body": "profit rose", "topics": ["earn"]}, {"stories": [[1, 2]]}),
    ],
)
def test_stories_that_are_none_give_one_sentence(tmp_path, story, more):
    _tar(tmp_path / "r.tgz", {"data/r.json": json.dumps([story]).encode()})
    refuses(tmp_path, "reuters-json", "r.tgz", archive="r.tgz", folder="data", **more)


def test_reuters_json_by_first_topic_and_number(tmp_path):
    stories = [
        {"id": "1", "title": "GRAIN", "body": "wheat rose", "topics": ["money-fx", "trade"]},
        {"id": "2", "title": "ONLY A TITLE", "topics": ["trade"]},
        {"id": "3", "title": "GAP", "body": "wheat fell", "topics": ["trade"]},
        {"id": "4", "title": "OTHER", "body": "wheat fell", "topics": ["wheat", "trade"]},
        {"id": "5", "title": "LAST", "body": "prices fell", "topics": ["trade"]},
    ]
    _tar(tmp_path / "r.tgz", {"data/r.json": json.dumps(stories).encode()})
    options = {"archive": "r.tgz", "folder": "data", "stories": [[1, 2], [4, 9]], "topic": "first"}
    classes = {"money-fx": "money", "trade": "trade"}
    found = parse(tmp_path, "reuters-json", classes=classes, without_body=True, **options)
    assert found.labels.tolist() == ["money", "trade", "trade"]
    assert "grain" in found.terms[0] and "2 of 5 stories" in found.dropped[0]
    found = parse(tmp_path, "reuters-json", classes=classes, title=False, **options)
    assert found.labels.tolist() == ["money", "trade"]
    assert found.terms == [["fell", "prices", "rose", "wheat"]]
    refuses(tmp_path, "reuters-json", "r.tgz", classes={"tin": "tin"}, **options)
