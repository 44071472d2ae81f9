"""Depositing an archive, against a small server that follows the documented calls."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from recoco.archive.deposit import TOKEN, deposit
from recoco.core.errors import RecocoError
from support.archive_fixture import rewrite, small_archive

SECRET = "a-token-of-the-tests"


class Repository(ThreadingHTTPServer):
    """Zenodo's deposit interface and InvenioRDM's records, as far as they are documented."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Calls)
        self.calls: list[str] = []
        self.records: dict[str, dict] = {}
        self.files: dict[str, dict[str, dict]] = {}
        self.faults: list = []  # (method, part of the path, what happens), each once
        self.parts_allowed = self.parts_refused_later = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def fault(self, method: str, path: str):
        for fault in self.faults:
            if fault[0] == method and fault[1] in path:
                self.faults.remove(fault)
                return fault[2]
        return None


class Calls(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status: int, content=None):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_call(self):
        path, server = unquote(self.path), self.server
        server.calls.append(f"{self.command} {path}")
        fault = server.fault(self.command, path)
        if fault == "cut":  # the line goes dead in the middle of the body
            self.rfile.read(10)
            self.close_connection = True
            self.connection.close()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") != f"Bearer {SECRET}":
            self.answer(401, {"message": "no valid token"})
        elif isinstance(fault, int):
            self.answer(fault, {"message": "a fault of the test"})
        else:
            damaged = body[:-1] + b"?" if fault == "damage" else body
            self.route(path.strip("/").split("/"), damaged)

    do_GET = do_POST = do_PUT = do_DELETE = handle_call

    def route(self, parts: list[str], body: bytes):
        if parts[:3] == ["api", "deposit", "depositions"]:
            self.zenodo(parts[3:], body)
        elif parts[:2] == ["api", "files"]:
            files = self.server.files[parts[2]]
            files[parts[3]] = {"content": body, "status": "completed"}
            self.answer(201, {"key": parts[3], "size": len(body), "checksum": f"md5:{md5(body)}"})
        elif parts[:2] == ["api", "records"]:
            self.invenio(parts[2:], body)
        else:
            self.answer(404)

    # ---- Zenodo: deposit/depositions ------------------------------------------------------

    def zenodo(self, parts: list[str], body: bytes):
        records, files = self.server.records, self.server.files
        if not parts and self.command == "POST":
            key = str(len(records) + 1)
            records[key] = {
                "id": int(key),
                "submitted": False,
                "links": {
                    "bucket": f"{self.server.address}/api/files/{key}",
                    "html": f"{self.server.address}/deposit/{key}",
                },
                **json.loads(body),
            }
            files[key] = {}
            self.answer(201, records[key])
        elif parts[0] not in records:
            self.answer(404)
        elif parts[1:] == ["files"]:
            listed = [
                {"id": f"f-{name}", "filename": name, **size_and_md5(entry["content"])}
                for name, entry in files[parts[0]].items()
            ]
            self.answer(200, listed)
        elif parts[1:2] == ["files"] and self.command == "DELETE":
            del files[parts[0]][parts[2].removeprefix("f-")]
            self.answer(204)
        elif parts[1:] == ["actions", "publish"]:
            records[parts[0]]["submitted"] = True
            self.answer(202, {**records[parts[0]], "doi": "10.5072/zenodo.1"})
        else:
            self.answer(200, records[parts[0]])

    # ---- InvenioRDM: records/(id)/draft ---------------------------------------------------

    def invenio(self, parts: list[str], body: bytes):
        server = self.server
        if not parts and self.command == "POST":
            key = f"r{len(server.records)}"
            page = {"self_html": f"{server.address}/uploads/{key}"}
            server.records[key] = {"id": key, "links": page, **json.loads(body)}
            server.files[key] = {}
            self.answer(201, server.records[key])
        elif parts[0] not in server.records:
            self.answer(404)
        elif parts[1:] == ["draft"]:
            self.answer(200, server.records[parts[0]])
        elif parts[1:] == ["draft", "actions", "publish"]:
            server.records[parts[0]]["is_published"] = True
            self.answer(202, server.records[parts[0]])
        else:
            self.draft_files(parts[0], server.files[parts[0]], parts[3:], body)

    def draft_files(self, key: str, files: dict, parts: list[str], body: bytes):
        if not parts and self.command == "POST":
            for asked in json.loads(body):
                transfer = asked.get("transfer", {"type": "L"})
                if transfer["type"] == "M" and not self.server.parts_allowed:
                    self.answer(400, {"message": "unknown transfer type"})
                    return
                files[asked["key"]] = {"status": "pending", "transfer": transfer, "got": {}}
            self.answer(201, self.listing(key, files))
        elif not parts:
            self.answer(200, self.listing(key, files))
        elif parts[0] not in files:
            self.answer(404)
        elif self.command == "DELETE":
            del files[parts[0]]
            self.answer(204)
        elif parts[1:] == ["content"]:
            files[parts[0]]["content"] = body
            self.answer(200, self.entry(key, parts[0], files[parts[0]]))
        elif parts[1:2] == ["parts"] and self.server.parts_refused_later:
            self.answer(403, {"message": "permission denied"})
        elif parts[1:2] == ["parts"]:
            files[parts[0]]["got"][int(parts[2])] = body
            self.answer(200, {})
        else:
            entry = files[parts[0]]
            if entry["got"]:
                entry["content"] = b"".join(entry["got"][n] for n in sorted(entry["got"]))
            entry["status"] = "completed"
            self.answer(200, self.entry(key, parts[0], entry))

    def listing(self, key: str, files: dict) -> dict:
        return {"enabled": True, "entries": [self.entry(key, n, e) for n, e in files.items()]}

    def entry(self, key: str, name: str, entry: dict) -> dict:
        base = f"/api/records/{key}/draft/files/{name}"
        links = {"content": f"{base}/content", "commit": f"{base}/commit", "self": base}
        told = {"key": name, "status": entry["status"], "links": links}
        if entry.get("transfer", {}).get("type") == "M":
            numbers = range(1, entry["transfer"]["parts"] + 1)
            address = f"{self.server.address}{base}/parts"
            links["parts"] = [{"part": n, "url": f"{address}/{n}"} for n in numbers]
        if entry["status"] == "completed":
            content = entry["content"]
            told |= {"size": float(len(content)), "checksum": f"md5:{md5(content)}"}
        return told


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def size_and_md5(content: bytes) -> dict:
    return {"filesize": len(content), "checksum": md5(content)}


@pytest.fixture
def repository(monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    server = Repository()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


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
