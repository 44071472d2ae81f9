"""The RO-Crate: inputs, steps, software and results of a reproduction.

Written after RO-Crate 1.1 and the profiles Process, Workflow and Provenance Run Crate 0.5. Every
file has its checksum in the manifest; the crate describes those that a reader would look for, and
the folders of the others. It contains no time, so the same results give the same bytes.
"""

import re
import tomllib

from recoco.archive.contents import Contents
from recoco.compare.twins import MARK
from recoco.config import Config
from recoco.core.checksums import sha256
from recoco.datasets.card import load_card
from recoco.plan import datasets_of

METADATA = "ro-crate-metadata.json"
_LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_TERMS = "https://w3id.org/ro/terms/workflow-run#"
_FORMATS = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "lock": "text/plain",
    "md": "text/markdown",
    "npz": "application/zip",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "svg": "image/svg+xml",
    "tex": "application/x-tex",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
# The stages in order: what each reads and writes, and what it is for.
_STAGES = {
    "fetch": (["config/datasets/"], ["resources/raw/"], "Get the data and check its hashes."),
    "prepare": (
        ["resources/raw/"],
        ["resources/prepared/"],
        "Parse the data into matrices and classes.",
    ),
    "run": (["resources/prepared/"], ["results/runs/"], "Co-cluster, many seeded runs."),
    "consensus": (["results/runs/"], ["results/consensus/"], "One partition for all runs."),
    "score": (["results/runs/"], ["results/scores/"], "Score runs against the classes."),
    "analyse": (
        ["resources/prepared/", "results/runs/"],
        ["results/analyse/"],
        "Compute what single tables and figures show in addition to scores.",
    ),
    "compare": (
        ["results/scores/", "results/analyse/", "config/papers/"],
        ["results/compare/"],
        "Compare every printed number with the measured one.",
    ),
    "report": (["results/compare/"], ["reports/"], "Show it as a site, tables and figures."),
}


def crate(config: Config, contents: Contents, provenance: dict, date: str, name: str) -> dict:
    """Return the content of ``ro-crate-metadata.json``.

    Parameters
    ----------
    provenance : what is written as results/provenance.json
    date : ISO 8601, of the commit
    name : of the archive, for people
    """
    graph = _Graph(contents)
    stages = _stages(graph)
    _inputs(graph, config)
    _main(graph, config, provenance, stages)
    _software(graph, provenance)
    for folder in ("tables", "figures"):
        for member in contents.under(f"reports/{folder}/"):
            graph.file(member, "")
    for member in contents.under("results/compare/"):
        if member.endswith("/cells.csv"):
            graph.file(member, "Every printed cell, its measured value and the verdict.")
        if member.endswith("/drawn.csv"):
            graph.file(member, f"What cells without data measure on their twins: {MARK}.")
    for member, text in {
        "CITATION.cff": "How to cite recoco and the papers.",
        "LICENSE": "Licence of the program.",
        "receipt.txt": "One page by which two reproductions can be compared.",
        "results/provenance.json": "Commit, lock, software and data behind the results.",
    }.items():
        if member in contents.names:
            graph.file(member, text)
    if "README.md" in contents.names:
        graph.file("README.md", "What recoco is and how to use it.", about={"@id": "./"})
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": name,
        "description": (
            "All runs, scores, comparisons, tables and figures of a reproduction of papers on "
            "co-clustering, with the program, its configuration and checksums. "
            f"{provenance['data_mode']} {provenance['runs']}"
        ),
        "datePublished": date,
        "license": {"@id": _LICENCE},
        "conformsTo": _references(_PROFILES),
        "mainEntity": {"@id": "Snakefile"},
        "mentions": _references(graph.ids("CreateAction")),
        "citation": _references(_papers(graph, config)),
        "hasPart": _references([*graph.parts, "manifest-sha256.txt"]),
    }
    graph.add("manifest-sha256.txt", "File", name="SHA-256 of every other file of the archive.")
    about = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": _references(
            ["https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0"]
        ),
    }
    return {
        "@context": [
            "https://w3id.org/ro/crate/1.1/context",
            {"creditText": "http://schema.org/creditText", "sha256": f"{_TERMS}sha256"},
        ],
        "@graph": [about, root, *sorted(graph.entities.values(), key=lambda e: e["@id"])],
    }


def _references(ids) -> list[dict]:
    return [{"@id": name} for name in ids]


class _Graph:
    """Entities by id; those of files and folders refer to members of the archive."""

    def __init__(self, contents: Contents):
        self.contents = contents
        self.entities: dict[str, dict] = {}
        self.parts: list[str] = []
        for profile, (title, version) in _PROFILES.items():
            self.add(profile, "CreativeWork", name=title, version=version)
        self.add(
            _LICENCE, "CreativeWork", name="BSD 3-Clause", description="The licence of recoco."
        )
        self.add("#developers", "Organization", name="The recoco developers")

    def add(self, key: str, kind, /, **properties) -> str:
        kept = {key: value for key, value in properties.items() if value not in ("", [], None)}
        self.entities[key] = {"@id": key, "@type": kind, **kept}
        return key

    def file(self, member: str, description: str, kind=(), **properties) -> str:
        if member in self.entities:
            return member
        content = self.contents.read(member)
        self.parts.append(member)
        return self.add(
            member,
            ["File", *kind] if kind else "File",
            **{
                "name": member,
                "description": description,
                "contentSize": str(len(content)),
                "sha256": sha256(content),
                "encodingFormat": _FORMATS.get(member.rpartition(".")[2], "text/plain"),
                **properties,
            },
        )

    def folder(self, member: str, description: str) -> str | None:
        inside = self.contents.under(member)
        if not inside:
            return None
        if member not in self.entities:
            self.parts.append(member)
            many = f"{len(inside)} files" if len(inside) > 1 else "one file"
            text = f"{description} {many}, checksums in manifest-sha256.txt.".strip()
            self.add(member, "Dataset", name=member, description=text)
        return member

    def ids(self, kind: str) -> list[str]:
        return [name for name, entity in self.entities.items() if entity["@type"] == kind]


# ---- steps --------------------------------------------------------------------------------


def _script(stage: str) -> str:
    return f"workflow/scripts/{stage}.py"


def _stages(graph: _Graph) -> list[str]:
    """Add each stage with results: its script, its step and its execution."""
    done = []
    for stage, (reads, writes, text) in _STAGES.items():
        script = _script(stage)
        written = [folder for folder in writes if graph.folder(folder, text)]
        if script not in graph.contents.names or not written:
            continue
        graph.file(script, text, ["SoftwareSourceCode"])
        graph.add(
            f"#step-{stage}",
            "HowToStep",
            name=stage,
            description=text,
            position=str(len(done)),
            workExample={"@id": script},
        )
        graph.add(
            f"#action-{stage}",
            "CreateAction",
            name=f"All jobs of the stage {stage}",
            description=text,
            instrument={"@id": script},
            object=_references(folder for folder in reads if graph.folder(folder, "")),
            result=_references(written),
            actionStatus="http://schema.org/CompletedActionStatus",
        )
        graph.add(
            f"#control-{stage}",
            "ControlAction",
            name=f"Snakemake runs the stage {stage}",
            instrument={"@id": f"#step-{stage}"},
            object={"@id": f"#action-{stage}"},
        )
        done.append(stage)
    return done


def _main(graph: _Graph, config: Config, provenance: dict, stages: list[str]) -> None:
    """Add the workflow, its parameters and the run that produced everything."""
    given = {
        "papers": ("Text", ", ".join(config.papers)),
        "master_seed": ("Integer", str(config.master_seed)),
        "runs": ("Text", provenance["runs"]),
    }
    for name, (kind, value) in given.items():
        graph.add(f"#parameter-{name}", "FormalParameter", name=name, additionalType=kind)
        graph.add(
            f"#value-{name}",
            "PropertyValue",
            name=name,
            value=value,
            exampleOfWork={"@id": f"#parameter-{name}"},
        )
    graph.add("#parameter-page", "FormalParameter", name="page", additionalType="File")
    page = graph.file(
        "reports/index.html",
        "The report: every printed cell and its measured value.",
        exampleOfWork={"@id": "#parameter-page"},
    )
    version = provenance["commit"]
    graph.file(
        "Snakefile",
        "The workflow, top to bottom.",
        ["SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        name="recoco",
        version=version,
        license={"@id": _LICENCE},
        creator={"@id": "#developers"},
        programmingLanguage={"@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"},
        input=_references(f"#parameter-{name}" for name in given),
        output=[{"@id": "#parameter-page"}],
        step=_references(f"#step-{stage}" for stage in stages),
        hasPart=_references([_script(stage) for stage in stages]),
    )
    for stage in stages:
        graph.entities[_script(stage)]["version"] = version
    results = [folder for stage in stages for folder in _STAGES[stage][1]]
    graph.add(
        "#run",
        "CreateAction",
        name="The reproduction",
        description=f"recoco reproduce. {provenance['runs']}",
        instrument={"@id": "Snakefile"},
        object=_references(
            [
                *(f"#value-{name}" for name in given),
                *graph.contents.under("config/papers/"),
                *(member for member in ("config/config.yaml",) if member in graph.contents.names),
                *(f"#data-{dataset}" for dataset in datasets_of(config)),
            ]
        ),
        result=_references([page, *results]),
        actionStatus="http://schema.org/CompletedActionStatus",
    )


def _software(graph: _Graph, provenance: dict) -> None:
    """Add the workflow engine, the language and the packages that recoco requires."""
    packages = provenance["packages"]
    graph.add(
        "https://w3id.org/workflowhub/workflow-ro-crate#snakemake",
        "ComputerLanguage",
        name="Snakemake",
        identifier={"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
        url={"@id": "https://snakemake.readthedocs.io"},
    )
    engine = graph.add(
        "https://snakemake.github.io",
        "SoftwareApplication",
        name="Snakemake",
        url="https://snakemake.github.io",
        softwareVersion=packages.get("snakemake", "unknown"),
    )
    controls = graph.ids("ControlAction")
    graph.add(
        "#engine",
        "OrganizeAction",
        name="Snakemake leads the reproduction",
        instrument={"@id": engine},
        object=_references(controls),
        result={"@id": "#run"},
    )
    python = graph.add(
        "https://www.python.org",
        "SoftwareApplication",
        name="Python",
        url="https://www.python.org",
        softwareVersion=provenance["python"],
    )
    project = tomllib.loads(graph.contents.read("pyproject.toml").decode())["project"]
    names = [re.split(r"[^\w.-]", line)[0].lower() for line in project["dependencies"]]
    used = [
        graph.add(
            f"#package-{name}", "SoftwareApplication", name=name, softwareVersion=packages[name]
        )
        for name in names
        if name in packages and name != "snakemake"
    ]
    lock = graph.file("requirements.lock", "Every package with version and hashes.")
    graph.entities["Snakefile"]["softwareRequirements"] = _references([engine, python, *used, lock])


# ---- inputs -------------------------------------------------------------------------------


def _inputs(graph: _Graph, config: Config) -> None:
    """Add the configuration, the printed numbers, and the data with its receipts."""
    for member in graph.contents.under("config/"):
        if member.count("/") == 1 or member.startswith("config/papers/"):
            graph.file(member, "Configuration, or what a paper prints.")
    for dataset in datasets_of(config):
        card = load_card(dataset)
        receipt = f"resources/raw/{dataset}/receipt.json"
        prepared = f"resources/prepared/{dataset}.npz"
        receipts = []
        for member, text in (
            (receipt, f"Where the files of {card['title']} came from, with their hashes."),
            (f"resources/prepared/{dataset}.json", f"{card['title']}, measured."),
            (prepared, f"{card['title']}, prepared."),
        ):
            if member in graph.contents.names:
                receipts.append(graph.file(member, text))
        graph.add(
            f"#data-{dataset}",
            "CreativeWork",
            name=card["title"],
            description=card["description"],
            creditText=card["citation"],
            conditionsOfAccess=card["licence"],
            subjectOf=_references(receipts),
        )


def _papers(graph: _Graph, config: Config) -> list[str]:
    """Add the papers that were reproduced; a benchmark of our own has no authors to cite."""
    return [
        graph.add(
            f"https://doi.org/{paper['doi']}" if "doi" in paper else f"#paper-{key}",
            "ScholarlyArticle",
            name=paper["title"],
            creditText=f"{paper['authors']}. {paper['venue']}",
            datePublished=str(paper["year"]),
        )
        for key, paper in config.papers.items()
        if "authors" in paper
    ]
