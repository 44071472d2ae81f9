"""Raw text in an archive: one file per document, the folder it lies in is its class."""

from pathlib import Path, PurePosixPath

import numpy as np

from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import counting, document_terms
from recoco.errors import RecocoError


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["archive"]
    inside = PurePosixPath(options.get("folder", ""))
    encoding = options.get("encoding", "utf-8")
    labels, documents, strays = [], [], []
    with reading(path, "an archive of text"):
        for name, content in iter_members(path, options.get("folder", "")):
            relative = PurePosixPath(name).relative_to(inside)
            if len(relative.parts) < 2:
                strays.append(name)
                continue
            text = content.decode(encoding)
            if options.get("skip_header", False):
                text = text.replace("\r\n", "\n").partition("\n\n")[2]
            labels.append(relative.parts[-2])
            documents.append(text)
    if not documents:
        raise RecocoError(f"{path.name} has no files in class folders; correct its card.")
    view, terms, dropped = document_terms(documents, **counting(options))
    if strays:
        dropped.append(f"files outside of a class folder: {', '.join(strays)}")
    return Parsed([view], np.array(labels), [terms], dropped=dropped)
