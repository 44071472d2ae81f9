"""What the command line prints of memory, time and traffic."""

from collections.abc import Iterator
from dataclasses import replace

from recoco import (
    cocluster_plan,
    graph_plan,
    leaderboard_plan,
    paths,
    plan,
    study_plan,
    word_plan,
)
from recoco.config import Config, load_config
from recoco.estimate import in_words
from recoco.needs import Need, load_needs, table_path
from recoco.show import table


def show_resources(papers: list[str] | None, runs: int | None) -> int:
    """Print what the whole protocol takes on a cluster, whatever is at hand already."""
    overrides: dict = {"runs": {"most": runs}} if runs else {}
    if papers:
        overrides["papers"] = papers
    config = load_config(overrides)
    needs = load_needs()
    limit = config.settings["time_limit"]
    groups: dict[str, list[tuple[Need, int]]] = {}
    guessed = 0
    for rule, dataset, method, starts in jobs_of(config):
        guessed += not needs.measured(rule, method, dataset)
        need, asked = needs.of(rule, dataset, method, starts), None
        if rule == "run":  # a block of runs gives up by itself
            asked = needs.minutes(need, limit)
            need = replace(need, seconds=min(need.seconds, limit))
        pair = need, asked or needs.minutes(need)
        groups.setdefault(f"{rule} {method}" if method else rule, []).append(pair)
    rows = []
    everything = [pair for group in groups.values() for pair in group]
    for title, group in [*groups.items(), ("all", everything)]:
        found, minutes = zip(*group, strict=True)
        rows.append(
            [
                title,
                len(group),
                f"{sum(need.seconds for need in found) / 3600:.2f}",
                in_words(max(need.seconds for need in found)),
                round(max(need.mib for need in found)),
                max(map(needs.megabytes, found)),
                max(minutes),
                f"{sum(need.kb_in for need in found) / 1000:.1f}",
                f"{sum(need.kb_out for need in found) / 1000:.1f}",
            ]
        )
    head = ["rule", "jobs", "core-hours", "longest", "peak MiB", "asked MB", "asked min"]
    table([*head, "read MB", "written MB"], rows, set(range(1, 9)))
    own = needs.leader()
    print(
        f"Jobs on a cluster also start Snakemake twice, {own.seconds:.0f} s and {own.mib:.0f} MiB "
        "each; what is asked for counts it."
    )
    if guessed:
        print(
            f"{guessed} of {len(everything)} jobs were never measured: taken from others by size."
        )
    return 0


def jobs_of(config: Config) -> Iterator[tuple[str, str, str, int]]:
    """Yield rule, dataset or paper, method and starts of every job of the full protocol."""
    missing = plan.unreachable(paths.root())
    runs_of: dict[str, int] = {}
    yield "kernels", "", "", 1
    for dataset in plan.datasets_of(config):
        yield "fetch", dataset, "", 1
        yield "prepare", dataset, "", 1
        if dataset not in missing and word_plan.shifts_of(config, dataset):
            yield "densities", dataset, "", 1
    for setting, total in plan.settings_of(config).items():
        if setting.dataset not in missing:
            runs_of[setting.dataset] = runs_of.get(setting.dataset, 0) + total
            for start, stop in plan.planned_blocks(config, setting, total):
                starts = (stop - start) * plan.starts_of(setting)
                yield "run", setting.dataset, setting.method, starts
    with_words = set()
    for setting in word_plan.words_of(config):
        if setting.dataset not in missing:
            with_words.add(setting.dataset)
            yield "words", setting.dataset, setting.method, 1
    for dataset in sorted(with_words):
        yield "coherence", dataset, "", 1
    for dataset, runs in runs_of.items():
        yield "consensus", dataset, "", runs
        yield "score", dataset, "", runs
        for rule, tasks in (
            ("ensembles", graph_plan.ensembles_of),
            ("topics", graph_plan.topics_of),
            ("fusions", leaderboard_plan.fusions_of),
        ):
            if tasks(config, dataset):
                yield rule, dataset, "", 1
    looked_into = {s: s.dataset for s in cocluster_plan.coclusters_of(config)}
    chosen = {s: s.dataset for s in study_plan.representatives_of(config)}
    for rule, settings in (("coclusters", looked_into), ("representatives", chosen)):
        for dataset in settings.values():
            if dataset not in missing:
                yield rule, dataset, "", 1
    for dataset in sorted(set(looked_into.values()) - missing):
        if cocluster_plan.corpora_of(config, dataset):
            yield "neighbours", dataset, "", 1
    for kind in ("scaling", "convergence"):
        for paper, _, _ in study_plan.studies_of(config, kind).values():
            yield kind, paper, "", 1
    for paper in config.papers:
        yield "compare", paper, "", 1
    yield "report", "", "", 1


def show_needs(write: bool) -> int:
    """Print what the logs of this folder say, and keep it if asked to."""
    from recoco.measure import measure, measure_snakemake, write_needs

    root = paths.root()
    rows = [*measure(root), measure_snakemake(root)]
    table(
        ["rule", "method", "dataset", "jobs", "seconds", "MiB"],
        [[r.rule, r.method, r.dataset, r.jobs, r.seconds, r.mib] for r in rows],
        {3, 4, 5},
    )
    if write:
        write_needs(rows, table_path())
        print(f"written into {table_path().relative_to(root)}; rows of other jobs are kept")
    return 0
