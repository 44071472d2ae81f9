"""The configuration of a reproduction: what is run, on how many runs, for which papers."""

from dataclasses import dataclass
from pathlib import Path

from recoco import paths
from recoco.errors import RecocoError
from recoco.schema import check, nearest, read_yaml


@dataclass(frozen=True)
class Config:
    """Everything that ``config/`` says, checked."""

    settings: dict
    methods: dict[str, dict]
    papers: dict[str, dict]

    @property
    def master_seed(self) -> int:
        return self.settings["master_seed"]


def load_config(overrides: dict | None = None) -> Config:
    """Read ``config/`` and lay ``overrides`` (same keys as config.yaml) over it."""
    folder = paths.config()
    settings = _merge(read_yaml(folder / "config.yaml"), overrides or {})
    check(settings, "config", "config.yaml")
    methods = load_methods(folder)
    known = sorted(path.stem for path in (folder / "papers").glob("*.yaml"))
    papers = {}
    for key in settings["papers"]:
        if key not in known:
            raise RecocoError(f"Unknown paper {key!r} in config.yaml: {nearest(key, known)}")
        papers[key] = _load_paper(folder / "papers" / f"{key}.yaml", methods)
    return Config(settings, methods, papers)


def load_methods(folder: Path) -> dict[str, dict]:
    """Read ``methods.yaml``; a command or an estimator of one's own becomes a class of recoco."""
    methods = read_yaml(folder / "methods.yaml")
    check(methods, "methods", "methods.yaml")
    for name, entry in methods.items():
        said = [key for key in ("class", "command", "estimator") if key in entry]
        if len(said) > 1:
            raise RecocoError(f"methods.yaml, {name}: {' and '.join(said)} are given: keep one.")
        if said and said[0] != "class":
            _wrap(name, entry, said[0])
    return methods


def _wrap(name: str, entry: dict, key: str) -> None:
    """Turn a command or an estimator into the parameters of the class that runs it."""
    from recoco.fingerprint import digest_of_command, fingerprint
    from recoco.methods.external import command_parts

    told = entry[key]
    if key == "command":
        entry["class"] = "recoco.methods.external:CommandLine"
        try:
            digest = digest_of_command(command_parts(told), paths.root())
        except RecocoError as error:
            raise RecocoError(f"methods.yaml, {name}: {error}") from None
    else:
        entry["class"] = "recoco.methods.external:Estimator"
        digest = fingerprint(told.split(":")[0])
    entry["params"] = {**entry["params"], key: told, "digest": digest}


def _load_paper(path: Path, methods: dict) -> dict:
    from recoco.datasets import list_cards

    paper = read_yaml(path)
    check(paper, "paper", path.name)
    for item, block in paper["items"].items():
        where = f"{path.name}, items.{item}"
        for card in [*block.get("datasets", {}).values(), *block.get("corpora", [])]:
            _known(card, list_cards(), "dataset", where)
        of_methods = block.get("method_weightings", {})
        for weighting in [*block.get("weightings", {}).values(), *of_methods.values()]:
            _check_weighting(weighting, where)
        groups = ("methods", "extra_methods", "together")
        named = [method for group in groups for method in block.get(group, {}).values()]
        if "method" in block:
            named.append(block["method"])
        limited = [*block.get("limits", {}), *block.get("starts", {})]
        for method in [*named, *block.get("nulls", []), *of_methods, *limited]:
            _known(method, list(methods), "method", where)
        _complete(block, where)
        for choice, question in block.get("choices", {}).items():
            said = [o for o in question["options"].values() if o.get("printed")]
            if len(said) != 1:
                raise RecocoError(
                    f"{where}: choice {choice!r} marks {len(said)} options as printed: mark one."
                )
            for option in question["options"].values():
                for method in [*option.get("params", {}), *option.get("select_by_method", {})]:
                    _known(method, [*methods, "*"], "method", where)
                for dataset, card in option.get("datasets", {}).items():
                    _known(dataset, list(block["datasets"]), "printed dataset", where)
                    _known(card, list_cards(), "dataset", where)
                for place, changed in option.get("weightings", {}).items():
                    card, _, method = place.partition("/")
                    _known(card, [*list_cards(), "*"], "dataset", where)
                    if method:
                        _known(method, list(methods), "method", where)
                    for weighting in changed.values():
                        _check_weighting(weighting, where)
        if block.get("of") and block["of"] not in paper["items"]:
            raise RecocoError(f"{where}: 'of' names {block['of']!r}, which is no item here.")
        if block["kind"] == "ranks":
            _scores_before(paper["items"], item, where)
    return paper


# What an item of each kind cannot be without.
_NEEDED = {
    "scores": ("datasets", "weightings", "methods", "metrics"),
    "characteristics": ("datasets",),
    "figure": ("draw",),
    "example": ("example",),
    "sweep": ("datasets", "weightings", "method", "parameter", "values", "metrics"),
    "words": ("datasets", "weightings", "methods", "column_clusters", "corpora"),
    "densities": ("datasets", "shifts"),
    "gains": ("of", "over"),
    "coclusters": ("datasets", "weightings", "method"),
    "ranks": ("of", "metrics"),
    "clusters": ("datasets", "weightings", "method"),
    "representatives": ("datasets", "weightings", "method"),
    "scaling": ("method", "sizes", "along", "density"),
    "convergence": ("method", "sizes", "blocks", "flips", "iterations"),
    "views": ("datasets", "weightings", "methods", "together", "metrics"),
    "ensembles": ("of", "top"),
    "topics": ("datasets", "weightings", "method"),
    "orders": ("datasets", "weightings", "method", "values"),
    "points": ("of", "over"),
    "leaderboard": ("datasets", "weightings", "methods", "metrics"),
}


def _complete(block: dict, where: str) -> None:
    for key in _NEEDED[block["kind"]]:
        if key not in block:
            raise RecocoError(f"{where}: an item of kind {block['kind']} needs {key!r}: add it.")
    if block["kind"] == "convergence" and (
        list in map(type, block["sizes"].values())
        or block["sizes"]["views"] != len(block["blocks"])
    ):
        raise RecocoError(
            f"{where}: an item of kind convergence has one size, and blocks for each of its views."
        )


def _scores_before(items: dict, item: str, where: str) -> None:
    """Refuse to rank what has no scores by then."""
    of, names = items[item]["of"], list(items)
    if items[of]["kind"] != "scores" or names.index(of) > names.index(item):
        raise RecocoError(
            f"{where}: 'of' names {of!r}, which is no item of kind scores before it: name one."
        )


def _check_weighting(name: str, where: str) -> None:
    from recoco.weighting import WEIGHTINGS

    if name not in WEIGHTINGS:
        # Imported only where it may be a graph: it takes a second, and each job of a cluster
        # reads the configuration twice.
        from recoco.graph_weightings import check_weighting

        check_weighting(name, where)


def _known(name: str, known: list[str], what: str, where: str) -> None:
    if name not in known:
        raise RecocoError(f"Unknown {what} {name!r} in {where}: {nearest(name, known)}")


def _merge(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged
