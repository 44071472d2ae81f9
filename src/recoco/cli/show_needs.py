"""Print the memory, time and traffic of jobs."""

from collections.abc import Iterator
from dataclasses import replace

from recoco import plan
from recoco.cli.show import planned_config, table
from recoco.config import Config
from recoco.core import paths
from recoco.plan.estimate import in_words
from recoco.plan.needs import Need, load_needs, table_path


def show_resources(papers: list[str] | None, runs: int | None) -> int:
    """Print what the whole protocol takes on a cluster, starting from an empty folder."""
    config = planned_config(papers, runs)
    needs = load_needs()
    limit = config.settings["time_limit"]
    groups: dict[str, list[tuple[Need, int]]] = {}
    guessed = 0
    for rule, dataset, slug, starts in jobs_of(config):
        method = slug.split(",")[0]
        guessed += not needs.measured(rule, slug, dataset)
        need, asked = needs.of(rule, dataset, slug, starts), None
        if rule == "run":  # a block of runs gives up by itself
            asked = needs.minutes(need, limit)
            need = replace(need, seconds=min(need.seconds, limit))
        pair = need, asked or needs.minutes(need)
        groups.setdefault(f"{rule} {method}" if method else rule, []).append(pair)
    rows = []
    everything = [pair for group in groups.values() for pair in group]
    for title, group in [*groups.items(), ("all", everything)]:
        jobs, minutes = zip(*group, strict=True)
        rows.append(
            [
                title,
                len(group),
                f"{sum(need.seconds for need in jobs) / 3600:.2f}",
                in_words(max(need.seconds for need in jobs)),
                round(max(need.mib for need in jobs)),
                max(map(needs.megabytes, jobs)),
                max(minutes),
                f"{sum(need.kb_in for need in jobs) / 1000:.1f}",
                f"{sum(need.kb_out for need in jobs) / 1000:.1f}",
            ]
        )
    head = ["rule", "jobs", "core-hours", "longest", "peak MiB", "asked MB", "asked min"]
    table([*head, "read MB", "written MB"], rows, set(range(1, 9)))
    own = needs.snakemake()
    print(
        f"Jobs on a cluster also start Snakemake twice, {own.seconds:.0f} s and {own.mib:.0f} MiB "
        "each; the requests include it."
    )
    if guessed:
        print(
            f"{guessed} of {len(everything)} jobs were never measured; they are scaled from "
            "others by size."
        )
    return 0


def jobs_of(config: Config) -> Iterator[tuple[str, str, str, int]]:
    """Yield rule, dataset or paper, slug and starts of every job of the full protocol."""
    missing = plan.missing(config, paths.root())
    datasets: set[str] = set()
    yield "kernels", "", "", 1
    for dataset in plan.datasets_of(config):
        yield "fetch", dataset, "", 1
        yield "prepare", dataset, "", 1
    for setting, total in plan.settings_of(config).items():
        if setting.dataset not in missing:
            datasets.add(setting.dataset)
            for start, stop in plan.planned_blocks(config, setting, total):
                starts = (stop - start) * plan.starts_of(setting)
                yield "run", setting.dataset, setting.slug, starts
    for dataset in sorted(datasets):
        yield "consensus", dataset, "", 1
        yield "score", dataset, "", 1
    for analysis in plan.Plan(config).analyses.values():
        yield analysis.step, analysis.dataset or analysis.paper, analysis.slug, 1
    for paper in config.papers:
        yield "compare", paper, "", 1
    yield "report", "", "", 1


def show_needs(write: bool) -> int:
    """Print the measured needs of past jobs, and write them into the table if asked to."""
    from recoco.engine.measure import measure, measure_snakemake, write_needs

    root = paths.root()
    rows = [*measure(root), measure_snakemake(root)]
    table(
        ["rule", "method", "dataset", "jobs", "seconds", "MiB"],
        [[r.rule, r.method, r.dataset, r.jobs, r.seconds, r.mib] for r in rows],
        {3, 4, 5},
    )
    if write:
        write_needs(rows, table_path())
        print(f"written to {table_path().relative_to(root)}; rows about other jobs are kept")
    return 0
