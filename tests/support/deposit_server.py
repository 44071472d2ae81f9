"""A small deposit server: it follows the documented calls until a test tells it not to."""

import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from urllib.parse import unquote

SECRET = "a-token-of-the-tests"


@dataclass(frozen=True)
class Wrong:
    """What a repository does wrong, every time it is asked.

    Parameters
    ----------
    method, path : the call, with a pattern for its path
    raw : answers in place of the repository, with any bytes
    change : returns another content (JSON or bytes) than the repository would send
    """

    method: str
    path: str
    raw: Callable[["Calls"], None] | None = None
    change: Callable[[object, "Repository"], object] | None = None

    def meets(self, method: str, path: str) -> bool:
        return method == self.method and re.fullmatch(self.path, path) is not None


class Repository(ThreadingHTTPServer):
    """Zenodo's deposit interface and InvenioRDM's records, as far as they are documented."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Calls)
        self.over = threading.Event()
        self.other = ""  # the address of a server that must hear nothing
        self.forget()

    def forget(self) -> None:
        """Begin anew, as a repository that is empty and right."""
        self.calls: list[str] = []
        self.records: dict[str, dict] = {}
        self.files: dict[str, dict[str, dict]] = {}
        self.faults: list = []  # (method, part of the path, what happens), each once
        self.parts_allowed = self.parts_refused_later = False
        self.checksums: str | None = "md5"  # the algorithm, if the server reports any
        self.wrong: Wrong | None = None
        self.struck = 0  # how often it was wrong

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """Say nothing: the other side is meant to hang up on a server that is wrong."""

    def checksum(self, content: bytes) -> str | None:
        if self.checksums is None:
            return None
        known = self.checksums in hashlib.algorithms_available
        value = hashlib.new(self.checksums if known else "md5", content).hexdigest()
        return f"{self.checksums}:{value}"

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
        wrong = self.wrong_here()
        if wrong and wrong.change and status < 300:
            content = wrong.change(content, self.server)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        body = b"" if content is None else body
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
        wrong = self.wrong_here()
        server.struck += wrong is not None
        if wrong and wrong.raw:
            self.close_connection = True
            wrong.raw(self)
            return
        if self.headers.get("Authorization") != f"Bearer {SECRET}":
            self.answer(401, {"message": "no valid token"})
        elif isinstance(fault, int):
            self.answer(fault, {"message": "a fault of the test"})
        else:
            damaged = body[:-1] + b"?" if fault == "damage" else body
            self.route(path.strip("/").split("/"), damaged)

    def wrong_here(self) -> Wrong | None:
        wrong = self.server.wrong
        return wrong if wrong and wrong.meets(self.command, unquote(self.path)) else None

    do_GET = do_POST = do_PUT = do_DELETE = handle_call

    def route(self, parts: list[str], body: bytes):
        if parts[:3] == ["api", "deposit", "depositions"]:
            self.zenodo(parts[3:], body)
        elif parts[:2] == ["api", "files"]:
            self.bucket(self.server.files[parts[2]], parts[3], body)
        elif parts[:2] == ["api", "records"]:
            self.invenio(parts[2:], body)
        else:
            self.answer(404)

    # ---- Zenodo: deposit/depositions ------------------------------------------------------

    def bucket(self, files: dict, name: str, body: bytes):
        if self.command == "GET":
            self.answer(200, files[name]["content"])
            return
        files[name] = {"content": body, "status": "completed"}
        told = {"key": name, "size": len(body), "checksum": self.server.checksum(body)}
        self.answer(201, told)

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
                {"id": f"f-{name}", "filename": name, **self.stored(entry["content"])}
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

    def stored(self, content: bytes) -> dict:
        told = (self.server.checksum(content) or "").removeprefix("md5:")
        return {"filesize": len(content), "checksum": told or None}

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
        elif parts[1:] == []:
            record = server.records[parts[0]]
            published = record.get("is_published") or record.get("submitted")
            self.answer(200 if published else 404, record)
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
        elif parts[1:] == ["content"] and self.command == "GET":
            self.answer(200, files[parts[0]]["content"])
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
            told |= {"size": float(len(content)), "checksum": self.server.checksum(content)}
        return told


class Bystander(HTTPServer):
    """Another server, which notes every connection."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), BaseHTTPRequestHandler)
        self.heard: list = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def process_request(self, request, client_address):
        self.heard.append(client_address)
        self.shutdown_request(request)


@contextlib.contextmanager
def serve(server: HTTPServer) -> Iterator[HTTPServer]:
    """Run a server while a test talks to it."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        if isinstance(server, Repository):
            server.over.set()
        server.shutdown()
        server.server_close()
