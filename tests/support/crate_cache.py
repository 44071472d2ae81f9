"""Put RO-Crate's JSON-LD context into the cache of roc-validator, which then needs no network.

Run by the Python that has roc-validator and rocrate: the latter's wheel carries the context.
"""

import importlib.resources
import io
import sys
from pathlib import Path

import requests
import requests_cache

CONTEXT = "https://w3id.org/ro/crate/1.1/context"


class Local(requests.adapters.BaseAdapter):
    """Answers every request with the context."""

    def __init__(self, content: bytes):
        super().__init__()
        self.content = content

    def send(self, request, **_):
        response = requests.Response()
        response.status_code, response.url, response.request = 200, request.url, request
        response.headers["Content-Type"] = "application/ld+json"
        response.raw = requests.packages.urllib3.HTTPResponse(
            body=io.BytesIO(self.content),
            status=200,
            headers={"Content-Type": "application/ld+json"},
            preload_content=False,
        )
        return response

    def close(self):
        pass


if __name__ == "__main__":
    content = importlib.resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_bytes()
    cache = Path(sys.argv[1])
    session = requests_cache.CachedSession(str(cache), backend="sqlite", expire_after=-1)
    session.mount("https://", Local(content))
    for accept in (
        "application/ld+json, application/json",
        "application/ld+json, application/json, */*;q=0.1",
    ):
        session.get(CONTEXT, headers={"Accept": accept})
