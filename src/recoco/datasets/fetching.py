"""Fetch: copy or download the raw files of a dataset from the first source that has them."""

import logging
import os
from collections.abc import Callable, Collection
from pathlib import Path

from recoco.core import paths
from recoco.core.files import write_json
from recoco.datasets.card import load_card
from recoco.datasets.raw_files import Unavailable, empty_folder
from recoco.datasets.receipts import RECEIPT
from recoco.datasets.sources import SOURCES, Tools

LOG = logging.getLogger(__name__)


def fetch(
    name: str,
    raw_dir: str | os.PathLike,
    *,
    mirrors: list[Path] | None = None,
    downloads: Path | None = None,
    get_url: Callable[[str, Path], None] | None = None,
    get_package: Callable[[str, str, str, Path], Path] | None = None,
    kinds: Collection[str] | None = None,
) -> dict:
    """Bring the raw files of a dataset into ``raw_dir`` and write a receipt there.

    The sources of the card are tried in order, until all files of a source have the sizes and
    hashes of the card. A file with another hash is never kept.

    Parameters
    ----------
    name : str
        Name of the dataset.
    raw_dir : path-like
        The folder to write; its files are replaced.
    mirrors, downloads : paths, default=None
        Folders to use instead of the default ones.
    get_url, get_package : callable, default=None
        Downloaders to use instead of the default ones, which stop at the size in the card.
    kinds : collection of str, default=None
        The kinds of sources to try; None means all.

    Returns
    -------
    receipt : dict
        The receipt, also written last as ``raw_dir/receipt.json``. Its ``status`` is ``"ok"`` or
        ``"unreachable"``: missing data are a result, not an error.
    """
    card = load_card(name)
    tools = Tools(
        mirrors=paths.mirrors() if mirrors is None else mirrors,
        downloads=paths.downloads() if downloads is None else downloads,
        get_url=get_url,
        get_package=get_package,
    )
    raw_dir = Path(raw_dir)
    empty_folder(raw_dir)
    receipt = {
        "dataset": name,
        "status": "unreachable",
        "source": None,
        "source_index": None,
        "files": [],
        "tried": [],
        "by_hand": card["by_hand"],
    }
    for index, source in enumerate(card["sources"]):
        try:
            if kinds is not None and source["kind"] not in kinds:
                raise Unavailable("sources of this kind are not asked now")
            where, files = SOURCES[source["kind"]](source, raw_dir, tools)
        except Unavailable as error:
            empty_folder(raw_dir)
            label = f"source {index + 1} ({_label(source)})"
            LOG.warning("dataset %s, %s: %s", name, label, error)
            receipt["tried"].append({"source": label, "error": f"dataset {name}: {error}"})
            continue
        receipt |= {
            "status": "ok",
            "source": {"kind": source["kind"], "where": where},
            "source_index": index,
            "files": files,
        }
        break
    write_json(raw_dir / RECEIPT, receipt)
    return receipt


def _label(source: dict) -> str:
    if source["kind"] == "package":
        archive = source["archive"]
        return f"package {archive['package']} {archive['version']} of {archive['registry']}"
    return source["kind"]
