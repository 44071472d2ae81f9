"""A setting: what is run, and where its runs are kept."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from recoco.core.seeds import stable_hash

# Stands for a comma in file names; it cannot occur in a slug.
_SEPARATOR = "@"


@dataclass(frozen=True, order=True)
class Setting:
    """What is run, without the run number."""

    dataset: str
    weighting: str
    method: str
    params: tuple[tuple[str, object], ...] = ()

    @property
    def slug(self) -> str:
        """Name of method and parameters: part of the identity that seeds come from."""
        text = ",".join([self.method, *(f"{key}={value}" for key, value in self.params)])
        if re.fullmatch(r"[\w.,=+-]{1,100}", text):
            return text
        return f"{self.method},{stable_hash(json.dumps(self.params)):032x}"[:60]

    @property
    def name(self) -> str:
        return f"{self.dataset}/{self.weighting}/{self.slug}"

    @property
    def file_name(self) -> str:
        """The slug as files and folders of results and logs spell it.

        Snakemake passes a job its wildcards as ``rule:name=value,name=value``, so a wildcard must
        not contain commas.
        """
        return self.slug.replace(",", _SEPARATOR)

    def folder(self, root: Path) -> Path:
        return root / "results" / "runs" / self.dataset / self.weighting / self.file_name


def name_from_path(path: str) -> str:
    """Return the name of what a path in results/STAGE or logs/STAGE is about.

    >>> name_from_path("cstr/count/coclus@n_init=20/0-5")
    'cstr/count/coclus,n_init=20/0-5'
    """
    return path.replace(_SEPARATOR, ",")
