"""The command ``recoco``."""

import argparse
import contextlib
import sys

from recoco import __version__
from recoco.cli import commands_archive, commands_data, commands_reproduce
from recoco.core.errors import RecocoError


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a user error prints one sentence and returns 2."""
    options = vars(_parser().parse_args(arguments))
    action = options.pop("action")
    try:
        _find_own_modules()
        _find_own_papers(options)
        return _load(action)(**options)
    except RecocoError as error:
        print(f"recoco: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:  # or a subclass that knows which signal it was
        with contextlib.suppress(OSError):  # the terminal may be gone
            said = str(error) or "stopped"
            print(f"\nrecoco: {said}; rerun the same command to resume.", file=sys.stderr)
        return getattr(error, "code", 130)
    except BrokenPipeError:
        return 0
    except OSError as error:
        from recoco.engine import disk

        if not disk.is_about_room(error):
            raise
        print(f"recoco: {disk.sentence(error)}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="recoco",
        description="Reproduce papers on co-clustering, and use their methods on your own data.",
    )
    parser.add_argument("--version", action="version", version=f"recoco {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, action: str, text: str) -> argparse.ArgumentParser:
        """Add a command: ``action`` is a "module:function" that takes its options by name.

        The module is only imported when the command runs, which keeps ``recoco --help`` fast.
        """
        added = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        added.set_defaults(action=action)
        return added

    for group in (commands_reproduce, commands_data, commands_archive):
        group.add_commands(command)
    return parser


def _load(action: str):
    import importlib

    module, _, function = action.partition(":")
    return getattr(importlib.import_module(module), function)


def _find_own_modules() -> None:
    """Make modules in the working folder and in the project folder importable.

    Both come last, so that nothing there shadows an installed module.
    """
    import os

    from recoco.core import paths

    folders = [os.getcwd()]
    with contextlib.suppress(RecocoError):  # some commands need no project
        folders.append(str(paths.root()))
    sys.path += [folder for folder in dict.fromkeys(folders) if folder not in sys.path]


def _find_own_papers(options: dict) -> None:
    """Let ``--paper`` also name the folder of a paper outside ``config/papers``."""
    from recoco.config.papers import use_folder

    if options.get("papers"):
        options["papers"] = [use_folder(name) for name in options["papers"]]
