"""Options that several commands share."""

import argparse


def count(text: str) -> int:
    """Parse a positive whole number."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return value


def add_flag(parser, name: str, text: str, **more) -> None:
    """Add an option without a value."""
    parser.add_argument(name, action="store_true", help=text, **more)


def add_count(parser, name: str, text: str, default: int | None = None, metavar="N") -> None:
    """Add an option whose value is a positive whole number."""
    shown = "" if default is None else " (default: %(default)s)"
    parser.add_argument(name, type=count, default=default, metavar=metavar, help=f"{text}{shown}")


def add_papers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--paper",
        action="append",
        dest="papers",
        metavar="PAPER",
        help="only this paper, by key or folder; may be repeated (default: the papers of "
        "config.yaml)",
    )


def add_cores(parser: argparse.ArgumentParser) -> None:
    add_count(parser, "--cores", "processor cores to use (default: all)")


def add_profile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        help="where jobs run: slurm, kubernetes or the folder of a Snakemake profile "
        "(default: this machine)",
    )


def add_weighting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--weighting",
        default="tfidf-l2",
        help="how the entries of the matrix are weighted (default: %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser, purpose: str = "random seed") -> None:
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help=f"{purpose} (default: %(default)s)"
    )
