"""Commands that pack, check, compare and publish a finished reproduction."""

from pathlib import Path

from recoco.cli.arguments import add_cores, add_flag, add_seed

_ZIP = "a zip file written by `recoco archive`"


def add_commands(command) -> None:
    archive = command(
        "archive",
        "recoco.engine.reproduce:archive",
        "pack everything behind the report into one zip file",
    )
    add_cores(archive)
    archive.add_argument(
        "--sign",
        type=Path,
        metavar="KEY",
        dest="key",
        help="also sign it with this Ed25519 SSH key (default: no signature)",
    )
    _verify(command)
    receipt = command(
        "receipt",
        "recoco.archive.receipt:show_receipt",
        "print one page by which two reproductions can be compared",
    )
    receipt.add_argument("archive", nargs="?", help=f"{_ZIP} (default: the results in this folder)")
    _reference(command)
    _deposit(command)


def _verify(command) -> None:
    parser = command(
        "verify", "recoco.archive.verify:verify", "check an archive and recompute its tables"
    )
    parser.add_argument("archive", type=Path, help=_ZIP)
    parser.add_argument(
        "--rerun",
        metavar="SHARE",
        help="also repeat some runs: a share such as 1%%, or a number (default: none)",
    )
    add_seed(parser, "with --rerun: seed by which the runs are drawn")
    add_cores(parser)
    add_flag(
        parser,
        "--fetch",
        "download data that is not available locally (default: no)",
        dest="download",
    )
    parser.add_argument(
        "--signer",
        type=Path,
        metavar="FILE",
        help="public SSH keys, one of which must have signed the archive (default: anybody may)",
    )
    parser.add_argument(
        "--hours",
        type=float,
        default=24.0,
        help="limit of the whole verification (default: %(default)g)",
    )


def _reference(command) -> None:
    parser = command(
        "reference",
        "recoco.cli.show:show_reference",
        "compare the results in this folder with the reference run",
    )
    other = parser.add_mutually_exclusive_group()
    add_flag(other, "--save", "instead, save the results in this folder as the reference run")
    add_flag(
        other, "--check", "instead, recompute the tables of the reference run and compare them"
    )
    add_flag(other, "--render", "instead, rewrite the tables of the reference run from its scores")
    other.add_argument(
        "--site",
        metavar="FOLDER",
        help="instead, write the report of the reference run to FOLDER, without running anything",
    )


def _deposit(command) -> None:
    parser = command(
        "deposit",
        "recoco.archive.deposit:deposit",
        "upload an archive to Zenodo or InvenioRDM as a draft",
    )
    parser.add_argument("archive", type=Path, help=_ZIP)
    parser.add_argument(
        "--server",
        default="https://zenodo.org",
        metavar="URL",
        help="address of the repository (default: %(default)s)",
    )
    parser.add_argument(
        "--interface",
        default="zenodo",
        help="interface of the server: zenodo or invenio (default: %(default)s)",
    )
    add_flag(parser, "--send", "upload it (default: only show what would be sent)")
    add_flag(parser, "--publish", "with --send: publish the draft (default: no)")
