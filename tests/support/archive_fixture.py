"""Archives for the tests: small ones made by hand, and changes that keep the checksums right."""

import json
import zipfile
from pathlib import Path

from recoco.archive.contents import Contents, as_json
from recoco.archive.crate import METADATA
from recoco.archive.pack import MANIFEST, manifest_of, write_zip
from recoco.core.checksums import sha256

CITATION = b"""cff-version: 1.2.0
authors:
  - {family-names: Noether, given-names: Emmy}
  - name: A group
"""


def small_archive(path: Path, size: int = 1000) -> Path:
    """Write an archive that is whole, with a crate that fits and nothing to compute."""
    contents = Contents()
    contents.made = {
        "CITATION.cff": CITATION,
        "Snakefile": b"rule all:\n",
        "receipt.txt": b"a receipt\n",
        "results/runs/a.npz": bytes(i % 251 for i in range(size)),
    }
    described = sha256(contents.made["Snakefile"])
    graph = [
        {"@id": METADATA, "@type": "CreativeWork", "about": {"@id": "./"}},
        {
            "@id": "./",
            "@type": "Dataset",
            "name": "a title",
            "description": "what it is",
            "datePublished": "2024-05-06T07:08:09+00:00",
            "mainEntity": {"@id": "Snakefile"},
            "hasPart": [{"@id": "Snakefile"}, {"@id": "results/runs/"}],
        },
        {"@id": "Snakefile", "@type": "File", "version": "abc", "sha256": described},
        {"@id": "results/runs/", "@type": "Dataset"},
        {"@id": "#developers", "@type": "Organization", "name": "The recoco developers"},
        {"@id": "https://doi.org/10.1/2", "@type": "ScholarlyArticle", "name": "a paper"},
    ]
    contents.made[METADATA] = as_json({"@graph": graph})
    contents.made[MANIFEST] = manifest_of(contents)
    write_zip(contents, path)
    return path


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def rewrite(path: Path, out: Path, changes: dict[str, bytes | None], mend: bool) -> Path:
    """Write an archive anew with some members changed, added or (None) left out.

    With ``mend`` manifest and crate get the new checksums: what a careful forger would do.
    """
    made = members_of(path) | changes
    contents = Contents(made={name: body for name, body in made.items() if body is not None})
    if mend:
        if METADATA not in changes:
            described = json.loads(contents.made[METADATA])
            gone = {name for name, body in changes.items() if body is None}
            described["@graph"] = _without(described["@graph"], gone)
            for entity in described["@graph"]:
                body = contents.made.get(entity["@id"])
                if "sha256" in entity and body is not None:
                    entity["sha256"] = sha256(body)
            contents.made[METADATA] = as_json(described)
        contents.made[MANIFEST] = manifest_of(contents)
    write_zip(contents, out)
    return out


def _without(value, gone: set[str]):
    """Return part of a crate without the entities of some names and all that refers to them."""
    if isinstance(value, list):
        left = [v for v in value if not (isinstance(v, dict) and v.get("@id") in gone)]
        return [_without(one, gone) for one in left]
    if isinstance(value, dict):
        return {key: _without(one, gone) for key, one in value.items()}
    return value
