"""Depositing an archive, against a small server that follows the documented calls."""

import pytest

from recoco.archive.deposit import TOKEN, deposit
from recoco.core.errors import RecocoError
from support.archive_fixture import rewrite, small_archive
from support.deposit_server import SECRET, Repository, serve


@pytest.fixture
def repository(monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    with serve(Repository()) as server:
        yield server


@pytest.fixture
def archive(tmp_path):
    return small_archive(tmp_path / "recoco-archive.zip", size=5000)


@pytest.fixture(params=["zenodo", "invenio"])
def send(request, repository, archive):
    def sending(**options):
        return deposit(
            archive,
            repository.address,
            request.param,
            **{"send": True, "patience": 0.01, **options},
        )

    sending.interface = request.param
    return sending


def held(repository) -> dict[str, bytes]:
    files = [entry for record in repository.files.values() for entry in record.items()]
    return {name: entry["content"] for name, entry in files}


def puts(repository) -> list[str]:
    return [call.rpartition("/")[2] for call in repository.calls if call.startswith("PUT")]


def test_dry_run_sends_nothing_and_needs_no_token(send, repository, monkeypatch, capsys):
    monkeypatch.delenv(TOKEN)
    assert send(send=False) == 0
    assert repository.calls == []
    said = capsys.readouterr().out
    assert "nothing is sent" in said and "a title" in said and "POST /api" in said


def test_a_draft_has_the_archive_its_receipt_and_what_they_are(send, repository, archive):
    assert send() == 0
    assert held(repository) == {"receipt.txt": b"a receipt\n", archive.name: archive.read_bytes()}
    record = next(iter(repository.records.values()))
    assert not record.get("submitted") and not record.get("is_published")
    told = record["metadata"]
    assert (told["title"], told["publication_date"], told["version"]) == (
        *("a title", "2024-05-06"),
        "abc",
    )
    assert told["related_identifiers"][0]["identifier"] == "10.1/2"
    if send.interface == "zenodo":
        assert told["creators"] == [{"name": "Noether, Emmy"}, {"name": "A group"}]
    else:
        person = {"type": "personal", "family_name": "Noether", "given_name": "Emmy"}
        group = {"type": "organizational", "name": "A group"}
        assert [c["person_or_org"] for c in told["creators"]] == [person, group]


def test_published_only_when_asked(send, repository):
    send(publish=True)
    record = next(iter(repository.records.values()))
    assert record.get("submitted") or record.get("is_published")


def test_a_second_time_sends_nothing_again(send, repository):
    send()
    before = puts(repository)
    send()
    assert puts(repository) == before
    assert len(repository.records) == 1


def test_a_line_that_goes_dead_is_tried_again(send, repository, archive):
    name = archive.name
    repository.faults += [("PUT", name, "cut"), ("PUT", name, 503), ("POST", "api/", 502)]
    assert send() == 0
    assert held(repository)[name] == archive.read_bytes()


def test_given_up_and_taken_up_again_in_the_same_draft(send, repository, archive):
    repository.faults += [("PUT", archive.name, 503)] * 5
    with pytest.raises(RecocoError, match="again later to resume"):
        send()
    assert send() == 0
    assert len(repository.records) == 1
    assert puts(repository).count("receipt.txt") <= 1
    assert held(repository)[archive.name] == archive.read_bytes()


def test_damage_on_the_way_is_found_and_removed(send, repository, archive):
    repository.faults.append(("PUT", archive.name, "damage"))
    with pytest.raises(RecocoError, match="did not arrive whole"):
        send()
    assert archive.name not in held(repository)
    assert send() == 0
    assert held(repository)[archive.name] == archive.read_bytes()


def test_a_changed_archive_gets_a_draft_of_its_own(send, repository, archive, capsys):
    send()
    rewrite(archive, archive, {"results/runs/a.npz": b"other runs"}, mend=True)
    send()
    assert len(repository.records) == 2
    assert "a new draft" in capsys.readouterr().out


def test_a_draft_that_was_deleted_is_begun_anew(send, repository):
    send()
    repository.records.clear()
    repository.files.clear()
    assert send() == 0
    assert len(held(repository)) == 2


def test_a_damaged_archive_is_not_sent(send, repository, archive):
    rewrite(archive, archive, {"receipt.txt": b"forged"}, mend=False)
    with pytest.raises(RecocoError, match=r"changed: receipt\.txt"):
        send()
    assert repository.calls == []


def test_wrong_or_missing_token(send, repository, monkeypatch):
    monkeypatch.setenv(TOKEN, "wrong")
    with pytest.raises(RecocoError, match="401"):
        send()
    monkeypatch.delenv(TOKEN)
    with pytest.raises(RecocoError, match=TOKEN):
        send()


def test_the_token_is_not_written_down(send, repository, archive, capsys):
    send()
    state = archive.with_name(f"{archive.name}.deposit.json").read_text()
    assert SECRET not in state + capsys.readouterr().out


def test_no_token_in_the_open(archive, monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    with pytest.raises(RecocoError, match="not https"):
        deposit(archive, "http://repository.example", send=True)


def test_parts_that_arrived_are_not_sent_again(repository, archive):
    repository.parts_allowed = True
    repository.faults += [("PUT", "parts/3", 503)] * 5
    options = {"send": True, "patience": 0.001, "part_size": 1000}
    with pytest.raises(RecocoError, match="again later to resume"):
        deposit(archive, repository.address, "invenio", **options)
    before = len(repository.calls)
    assert deposit(archive, repository.address, "invenio", **options) == 0
    assert held(repository)[archive.name] == archive.read_bytes()
    again = [call for call in repository.calls[before:] if "/parts/" in call]
    count = -(-archive.stat().st_size // 1000)
    assert [int(call.rpartition("/")[2]) for call in again] == list(range(3, count + 1))


@pytest.mark.parametrize("promised", [True, False])
def test_without_parts_the_file_goes_whole(repository, archive, promised):
    repository.parts_allowed = repository.parts_refused_later = promised
    options = {"send": True, "patience": 0.001, "part_size": 1000}
    assert deposit(archive, repository.address, "invenio", **options) == 0
    assert held(repository)[archive.name] == archive.read_bytes()
