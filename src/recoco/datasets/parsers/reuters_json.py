"""Reuters-21578 as JSON: the stories with exactly one topic and a body."""

import json
from pathlib import Path

import numpy as np

from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import counting, document_terms
from recoco.errors import RecocoError


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["archive"]
    labels, documents, total = [], [], 0
    with reading(path, "an archive of Reuters JSON"):
        for _, content in iter_members(path, options["folder"]):
            for story in json.loads(content):
                total += 1
                topics = story.get("topics") or []
                if len(topics) == 1 and story.get("body"):
                    labels.append(topics[0])
                    documents.append(f"{story.get('title') or ''}\n{story['body']}")
    if not documents:
        raise RecocoError(f"{path.name} has no story with one topic and a body; correct its card.")
    view, terms, dropped = document_terms(documents, **counting(options))
    left_out = total - len(labels)
    dropped.insert(0, f"{left_out} of {total} stories have no body, no topic or several topics")
    return Parsed([view], np.array(labels), [terms], dropped=dropped)
