"""What verify trusts: the verifier's own program and configuration; of an archive, only data.

An archive has source code, a workflow, and a configuration that names classes, commands and
addresses. None of it may act on the machine that verifies:

- only the folders with data are unpacked, and no process has the unpacked folder on its path;
- the schemas and the workflow are those of the verifier;
- a method may name code only as the verifier's own config/methods.yaml does;
- the settings reach Snakemake as JSON, because it evaluates expressions in YAML;
- data is the verifier's own where it is available, prepared by the verifier's own card
  (``data.py``);
- all of it happens in a process that imports nothing from where it stands and, where the system
  allows it, has no network and can write only to its temporary folder (``verify.py``).
"""

import os
import re
import shutil
from pathlib import Path

from recoco import plan
from recoco.archive.opening import Opened
from recoco.config import Config, load_config
from recoco.config.schema import check, read_yaml
from recoco.core.errors import RecocoError
from recoco.core.files import write_json

# The folders that are unpacked. Code lies elsewhere, and so does what programs look for in the
# working folder: matplotlibrc, the files of a bare git repository, workflow profiles.
_DATA = ("config/", "results/", "resources/", "reports/", "logs/", "receipt.txt")
_SCHEMAS = Path("workflow", "schemas")
# Keys of a method's entry that name code.
_CODE = ("class", "command", "estimator")
# Name of an option: neither an import path (a:b) nor a file path (a/b).
_WORD = re.compile(r"[A-Za-z0-9][\w.+-]*")


def unpack_data(opened: Opened, folder: Path, here: Path) -> None:
    """Unpack the data of an archive into a project whose schemas are the verifier's.

    Parameters
    ----------
    here : the project of the verifier
    """
    opened.extract(folder, [name for name in opened.members if name.startswith(_DATA)])
    # A schema can refer to an address, and that of an archive could allow anything.
    shutil.copytree(here / _SCHEMAS, folder / _SCHEMAS)


def trusted_config(folder: Path, here: Path, settings: dict) -> Config:
    """Return the configuration of an unpacked archive, or refuse code that is not the verifier's.

    Methods are compared before anything else is read: to load their configuration already looks
    for the modules they name.

    Parameters
    ----------
    folder : the unpacked archive, which must be the current project
    here : the project of the verifier
    settings : the settings that the archive was made with
    """
    theirs, own = methods_of(folder), methods_of(here)
    for name, entry in theirs.items():
        if _code(entry) != _code(own.get(name, {})):
            code = "; ".join(f"{key}: {entry[key]}" for key in _CODE if key in entry)
            raise RecocoError(
                f"The archive's method {name!r} ({code or 'no class'}) differs from your "
                "config/methods.yaml, so its code is not run: if you trust it, add the same entry."
            )
    config = load_config(settings)
    for setting in plan.settings_of(config):
        _check_parameters(config, setting, own.get(setting.method, {}).get("params", {}))
    write_json(folder / "config" / "config.yaml", config.settings)
    return config


def own_environment() -> dict[str, str]:
    """Return an environment in which Python imports no code from the unpacked archive."""
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    source = Path(__file__).resolve().parents[2]
    absolute = [str(source), *(os.path.abspath(entry) for entry in known if entry)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(absolute), "PYTHONSAFEPATH": "1"}


def methods_of(project: Path) -> dict[str, dict]:
    """Return methods.yaml of a project; nothing that it names is looked for."""
    methods = read_yaml(project / "config" / "methods.yaml")
    check(methods, "methods", "methods.yaml")
    return methods


def _code(entry: dict) -> dict:
    """Return the part of a method's entry that selects code; empty for a method of recoco."""
    named = [key for key in _CODE if key in entry]
    return {key: entry.get(key) for key in (*named, "params")} if named else {}


def _check_parameters(config: Config, setting: plan.Setting, own: dict) -> None:
    """Reject a parameter that could name code or a file, unless the verifier has the same.

    A paper may change the parameters of a method, and a command is one of them.
    """
    path = plan.import_path(config, setting.method)
    ours = path.startswith("recoco.") and not path.startswith("recoco.methods.external:")
    params = plan.parameters(config, setting) if ours else dict(setting.params)
    for key, value in params.items():
        number = value is None or isinstance(value, int | float)
        word = ours and isinstance(value, str) and _WORD.fullmatch(value)
        if not number and not word and (key not in own or own[key] != value):
            raise RecocoError(
                f"The archive gives method {setting.method!r} the parameter {key}: {value!r}, "
                "which your config/methods.yaml does not have, so it is not run: if you trust "
                "it, add it there."
            )
