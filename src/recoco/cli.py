"""The command ``recoco``."""

import argparse
import contextlib
import sys

from recoco import __version__
from recoco.errors import RecocoError


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a mistake of the user is answered with one sentence and code 2."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        _find_own_modules()
        return options.action(options) or 0
    except RecocoError as error:
        print(f"recoco: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nrecoco: stopped; the same command goes on from here.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _find_own_modules() -> None:
    """Look for a method's module also where the command is given and in the project folder.

    Both come last, so that nothing there takes the place of an installed module.
    """
    import os

    from recoco import paths

    places = [os.getcwd()]
    with contextlib.suppress(RecocoError):  # some commands need no project
        places.append(str(paths.root()))
    sys.path += [place for place in dict.fromkeys(places) if place not in sys.path]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="recoco",
        description="Reproduce papers on co-clustering, or use their methods.",
    )
    parser.add_argument("--version", action="version", version=f"recoco {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name, action, text):
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(action=action)
        return added

    run = command("reproduce", _reproduce, "run everything and write reports/index.html")
    run.add_argument("--paper", action="append", help="only this paper (may be repeated)")
    run.add_argument("--runs", type=_count, help="at most this many runs per cell")
    run.add_argument("--cores", type=_count, help="processor cores to use (default: all)")
    run.add_argument("--profile", help="where jobs run: slurm, kubernetes or a profile's folder")
    run.add_argument("--quick", action="store_true", help="stop after the first pass")

    bench = command(
        "benchmark", _benchmark, "every method on every dataset, ranked, into the report"
    )
    bench.add_argument("--runs", type=_count, help="at most this many starts (default: 20)")
    bench.add_argument("--cores", type=_count, help="processor cores to use (default: all)")
    bench.add_argument("--profile", help="where jobs run: slurm, kubernetes or a profile's folder")
    bench.add_argument(
        "--with-papers", action="store_true", help="in one report with the papers of config.yaml"
    )

    again = command("fetch", _fetch, "look again for data that was unreachable")
    again.add_argument("--paper", action="append", help="only this paper's data")

    planned = command("plan", _plan, "what would run, and how long")
    planned.add_argument("--paper", action="append", help="only this paper (may be repeated)")
    planned.add_argument("--runs", type=_count, help="at most this many runs per cell")
    planned.add_argument("--cores", type=_count, help="processor cores to use (default: all)")
    planned.add_argument(
        "--resources", action="store_true", help="jobs, hours, memory and traffic of everything"
    )

    needs = command("needs", _needs, "what the jobs that ran here needed")
    needs.add_argument("--write", action="store_true", help="into config/needs.csv")

    verdicts = command("verdict", _verdict, "which printed cells come out")
    verdicts.add_argument("--paper", help="only this paper")
    verdicts.add_argument("--cells", action="store_true", help="a line for every cell")
    verdicts.add_argument("--only", help="with --cells: only this verdict")

    command("datasets", _datasets, "the datasets, their shape and whether they are at hand")
    command("methods", _methods, "the methods and their papers")

    fit = command("fit", _fit, "co-cluster one dataset with one method")
    fit.add_argument("--method", required=True, help="see `recoco methods`")
    given = fit.add_mutually_exclusive_group(required=True)
    given.add_argument("--dataset", help="see `recoco datasets`")
    given.add_argument(
        "--matrix", help="a .mtx, .mtx.gz or .npz of any size, or what --out has of one"
    )
    fit.add_argument("--transpose", action="store_true", help="the file has features x objects")
    fit.add_argument("--out", help="with --matrix: folder of the labels (default: NAME-fit)")
    fit.add_argument("--clusters", type=_count, help="default: the number of classes")
    fit.add_argument("--weighting", default="tfidf-l2", help="default: tfidf-l2")
    fit.add_argument("--seed", type=int, default=0, help="default: 0")
    fit.add_argument("--starts", type=_count, default=1, help="keep the best of so many starts")
    fit.add_argument("--words", type=_count, default=10, help="top words per co-cluster")

    packed = command("archive", _archive, "write all behind the report into one zip")
    packed.add_argument("--cores", type=_count, help="processor cores to use (default: all)")

    checked = command("verify", _verify, "check an archive and make its tables again")
    checked.add_argument("archive", help="the zip that `recoco archive` wrote")
    checked.add_argument("--rerun", metavar="SHARE", help="also run trials again: 1%% or a number")
    checked.add_argument("--seed", type=int, default=0, help="which trials are drawn (default: 0)")
    checked.add_argument("--cores", type=_count, help="processor cores to use (default: all)")
    checked.add_argument("--fetch", action="store_true", help="download data that is not at hand")

    receipt = command("receipt", _receipt, "one page to compare two reproductions by")
    receipt.add_argument("archive", nargs="?", help="an archive (default: the results here)")

    kept = command("reference", _reference, "how the results here agree with the reference run")
    what = kept.add_mutually_exclusive_group()
    what.add_argument("--save", action="store_true", help="write it from the results here")
    what.add_argument("--check", action="store_true", help="make its tables again, compare them")
    what.add_argument("--render", action="store_true", help="write its tables anew from its scores")
    what.add_argument("--site", metavar="FOLDER", help="write its whole report, no run is needed")

    sent = command("deposit", _deposit, "send an archive to Zenodo or InvenioRDM as a draft")
    sent.add_argument("archive", help="the zip that `recoco archive` wrote")
    sent.add_argument("--server", default="https://zenodo.org", help="default: %(default)s")
    sent.add_argument("--interface", default="zenodo", help="zenodo (default) or invenio")
    sent.add_argument("--send", action="store_true", help="do it (default: say what would be done)")
    sent.add_argument("--publish", action="store_true", help="with --send: make it public")

    attempt = command(
        "try", _try, "where a method of your own would stand among others on small datasets"
    )
    what = attempt.add_mutually_exclusive_group(required=True)
    what.add_argument("--method", help="module:Class, or a name of config/methods.yaml")
    what.add_argument(
        "--command", help="a program: 'my-program {matrix} {clusters} {seed} {labels}'"
    )
    attempt.add_argument("--dataset", action="append", help="default: three small ones at hand")
    attempt.add_argument("--weighting", default="tfidf-l2", help="default: tfidf-l2")
    attempt.add_argument("--runs", type=_count, default=3, help="runs per dataset (default: 3)")
    attempt.add_argument(
        "--limit", type=_count, default=60, help="seconds for all runs on a dataset (default: 60)"
    )

    card = command("card", _card, "write the card of a dataset of your own")
    card.add_argument(
        "where", help="a folder of text files, a .csv, .mtx, .npz, .npy or .mat, sklearn:load_NAME"
    )
    card.add_argument("--name", required=True, help="of the dataset: small letters, digits and -")
    card.add_argument("--labels", help="classes: a column, a variable, or a file with a line each")
    card.add_argument("--text", help="the column of a CSV that has the texts")
    card.add_argument("--matrix", help="the variable of a .mat or .npz that is the matrix")
    card.add_argument("--terms", help="names of the columns: a variable, or a file")
    card.add_argument("--transpose", action="store_true", help="the file has features x objects")
    card.add_argument("--leave-out", action="append", help="a column of a CSV that is no feature")
    card.add_argument("--min-df", type=_count, help="leave out words of fewer documents")

    own = command("cocluster", _cocluster, "a folder of text files to topics and a small report")
    own.add_argument("folder", help="all text files below it are read")
    own.add_argument(
        "--clusters", type=_clusters, default=None, help="a number, or auto (the default)"
    )
    own.add_argument("--out", help="folder of the report (default: NAME-coclusters)")
    own.add_argument("--seed", type=int, default=0, help="default: 0")
    own.add_argument(
        "--most-words", type=_count, default=10_000, help="words used (default: 10000)"
    )
    own.add_argument(
        "--skip-headers", action="store_true", help="leave out all up to the first blank line"
    )
    own.add_argument("--stop-words", help="a text file of words to leave out")

    words = command("coherence", _coherence, "mean PMI of word clusters, counted in texts")
    words.add_argument("clusters", help="a text file: a line of words for each cluster")
    words.add_argument("--corpus", required=True, help="a folder of .txt files, a text or a dump")
    words.add_argument("--window", type=_count, default=5, help="words in a window (default: 5)")
    words.add_argument("--no-stem", action="store_true", help="the words are no stems")
    return parser


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return value


def _clusters(text: str) -> int | None:
    return None if text == "auto" else _count(text)


def _reproduce(options) -> int:
    from recoco.reproduce import reproduce

    return reproduce(options.paper, options.runs, options.cores, options.quick, options.profile)


def _benchmark(options) -> int:
    from recoco.reproduce import benchmark

    return benchmark(options.runs, options.cores, options.profile, options.with_papers)


def _fetch(options) -> int:
    from recoco.reproduce import fetch_again

    return fetch_again(options.paper)


def _plan(options) -> int:
    if options.resources:
        from recoco.show_needs import show_resources

        return show_resources(options.paper, options.runs)
    from recoco.show import show_plan

    return show_plan(options.paper, options.runs, options.cores)


def _needs(options) -> int:
    from recoco.show_needs import show_needs

    return show_needs(options.write)


def _verdict(options) -> int:
    from recoco.show import show_verdict

    return show_verdict(options.paper, options.cells, options.only)


def _datasets(_options) -> int:
    from recoco.show import show_datasets

    return show_datasets()


def _methods(_options) -> int:
    from recoco.show import show_methods

    return show_methods()


def _fit(options) -> int:
    if options.matrix:
        from recoco.bigfit import show_big_fit

        return show_big_fit(
            options.method,
            options.matrix,
            options.clusters,
            options.weighting,
            options.seed,
            options.starts,
            options.transpose,
            options.out,
        )
    from recoco.show import show_fit

    return show_fit(
        options.method,
        options.dataset,
        options.clusters,
        options.weighting,
        options.seed,
        options.starts,
        options.words,
    )


def _archive(options) -> int:
    from recoco.reproduce import archive

    return archive(options.cores)


def _verify(options) -> int:
    from pathlib import Path

    from recoco.archive.verify import verify

    path = Path(options.archive)
    return verify(path, options.rerun, options.seed, options.cores, options.fetch)


def _receipt(options) -> int:
    from recoco.archive.receipt import show_receipt

    return show_receipt(options.archive)


def _reference(options) -> int:
    from recoco.show import show_reference

    return show_reference(options.save, options.check, options.render, options.site)


def _deposit(options) -> int:
    from pathlib import Path

    from recoco.archive.deposit import deposit

    path = Path(options.archive)
    return deposit(path, options.server, options.interface, options.send, options.publish)


def _try(options) -> int:
    from recoco.attempt import show_attempt

    return show_attempt(
        options.method,
        options.command,
        options.dataset,
        options.weighting,
        options.runs,
        options.limit,
    )


def _card(options) -> int:
    from recoco.show import show_card

    keys = ("labels", "text", "matrix", "terms", "transpose", "leave_out", "min_df")
    said = {key: getattr(options, key) for key in keys}
    return show_card(options.where, options.name, {k: v for k, v in said.items() if v})


def _cocluster(options) -> int:
    from recoco.show import show_cocluster

    return show_cocluster(
        options.folder,
        options.clusters,
        options.out,
        options.seed,
        options.most_words,
        options.skip_headers,
        options.stop_words,
    )


def _coherence(options) -> int:
    from recoco.show import show_coherence

    return show_coherence(options.clusters, options.corpus, options.window, not options.no_stem)


if __name__ == "__main__":
    sys.exit(main())
