"""Commands that plan, run and judge a reproduction."""

from recoco.cli.arguments import (
    add_cores,
    add_count,
    add_flag,
    add_papers,
    add_profile,
    add_seed,
)


def add_commands(command) -> None:
    _reproduce(command)
    _benchmark(command)
    fetch = command(
        "fetch", "recoco.engine.reproduce:fetch_again", "retry data that could not be fetched"
    )
    add_papers(fetch)
    _plan(command)
    needs = command(
        "needs", "recoco.cli.show_needs:show_needs", "show the measured resources of past jobs"
    )
    add_flag(needs, "--write", "also save them to config/needs.csv (default: no)")
    _verdict(command)
    _check(command)


def _reproduce(command) -> None:
    parser = command(
        "reproduce",
        "recoco.engine.reproduce:reproduce",
        "reproduce the papers and write reports/index.html",
    )
    add_papers(parser)
    _add_runs(parser)
    add_cores(parser)
    add_profile(parser)
    add_flag(
        parser,
        "--quick",
        "stop after the first pass, with a few runs per cell (default: run both passes)",
    )
    parser.add_argument(
        "--twins",
        metavar="{none,small,all}",
        help="replace data that cannot be fetched by drawn data, on which nothing is judged; "
        "small: up to a million non-zeros (default: small with --quick, else as in config.yaml)",
    )


def _benchmark(command) -> None:
    parser = command(
        "benchmark",
        "recoco.engine.reproduce:benchmark",
        "run every method on every dataset and rank them",
    )
    add_count(parser, "--runs", "at most N runs per setting (default: 20)")
    add_cores(parser)
    add_profile(parser)
    add_flag(
        parser,
        "--with-papers",
        "also reproduce the papers of config.yaml, in the same report (default: no)",
    )


def _plan(command) -> None:
    parser = command(
        "plan", "recoco.cli.show:show_plan", "show what would run and how long it takes"
    )
    add_papers(parser)
    _add_runs(parser)
    add_cores(parser)
    add_flag(
        parser,
        "--resources",
        "show jobs, core-hours, memory and I/O of a run from scratch instead (default: no)",
    )


def _verdict(command) -> None:
    parser = command(
        "verdict", "recoco.cli.show:show_verdict", "show which printed numbers were reproduced"
    )
    parser.add_argument("--paper", help="only this paper (default: all papers with results)")
    add_flag(parser, "--cells", "print a line for every cell (default: counts)")
    parser.add_argument(
        "--only", metavar="VERDICT", help="with --cells: only this verdict (default: all)"
    )


def _check(command) -> None:
    parser = command(
        "check",
        "recoco.engine.checking:check_project",
        "check the results in this folder against their checksums",
    )
    parser.add_argument(
        "--rerun",
        metavar="SHARE",
        help="also repeat some runs: a share such as 1%%, or a number, 0 for none "
        "(default: 10 if results have no checksum, else none)",
    )
    add_seed(parser, "seed by which the repeated runs are drawn")


def _add_runs(parser) -> None:
    add_count(parser, "--runs", "at most N runs per cell (default: the paper's own number)")
