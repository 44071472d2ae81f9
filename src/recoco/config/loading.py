"""The configuration of a reproduction: papers, methods and settings."""

from dataclasses import dataclass
from pathlib import Path

from recoco.config.checking import check_paper
from recoco.config.papers import all_papers
from recoco.config.schema import check, nearest, read_yaml
from recoco.core import paths
from recoco.core.errors import RecocoError


@dataclass(frozen=True)
class Config:
    """The checked content of ``config/``."""

    settings: dict
    methods: dict[str, dict]
    papers: dict[str, dict]

    @property
    def master_seed(self) -> int:
        return self.settings["master_seed"]

    def alone(self, key: str) -> "Config":
        """Return the configuration of one paper."""
        return Config(self.settings, self.methods, {key: self.papers[key]})


def load_config(overrides: dict | None = None) -> Config:
    """Read ``config/``; ``overrides`` has the keys of config.yaml and takes precedence."""
    folder = paths.config()
    settings = _merge(read_yaml(folder / "config.yaml"), overrides or {})
    check(settings, "config", "config.yaml")
    methods = load_methods(folder)
    known = all_papers()
    # Papers may also be named on the command line.
    where = "" if "papers" in (overrides or {}) else " in config.yaml"
    papers = {}
    for key in settings["papers"]:
        if key not in known:
            raise RecocoError(f"Unknown paper {key!r}{where}: {nearest(key, known)}")
        check_paper(known[key], methods)
        papers[key] = known[key].config
    return Config(settings, methods, papers)


def load_methods(folder: Path) -> dict[str, dict]:
    """Read ``methods.yaml``; a user's command or estimator becomes a class of recoco."""
    methods = read_yaml(folder / "methods.yaml")
    check(methods, "methods", "methods.yaml")
    for name, entry in methods.items():
        keys = [key for key in ("class", "command", "estimator") if key in entry]
        if len(keys) > 1:
            raise RecocoError(f"methods.yaml, {name}: {' and '.join(keys)} are given: keep one.")
        if keys and keys[0] != "class":
            _wrap(name, entry, keys[0])
    return methods


def _wrap(name: str, entry: dict, key: str) -> None:
    """Turn a command or an estimator into the parameters of the class that runs it."""
    from recoco.core.fingerprint import digest_of_command, fingerprint
    from recoco.methods.external import command_parts

    code = entry[key]
    if key == "command":
        entry["class"] = "recoco.methods.external:CommandLine"
        try:
            digest = digest_of_command(command_parts(code), paths.root())
        except RecocoError as error:
            raise RecocoError(f"methods.yaml, {name}: {error}") from None
    else:
        entry["class"] = "recoco.methods.external:Estimator"
        digest = fingerprint(code.split(":")[0])
    entry["params"] = {**entry["params"], key: code, "digest": digest}


def _merge(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged
