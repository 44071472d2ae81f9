# The only file here with Python: what the rules need from recoco's plan.

from pathlib import Path

import recoco.plan as plan
from recoco.plan.needs import load_needs
from recoco.archive.contents import DOCUMENTS
from recoco.compare.outputs import OUTPUTS
from recoco.items.leaderboard.transfer import printed_tables
from recoco.config import load_config
from recoco.config import papers as paper_data
from recoco.core.fingerprint import fingerprint, fingerprint_of_files
from recoco.datasets.card import NOT_DATA, entries_of, load_card, printed_rows
from recoco.datasets.twins import wanted_twin
from recoco.engine.job import share_source
from recoco.report import overlay
from recoco.report.provenance import commit_now, run_counts
from recoco.items import kind_of, modules_of_drawings
from recoco.plan.kernels import digest_of, variants_of, words_of
from recoco.report.code_lines import digest_of_cards

recoco_config = load_config(config)

share_source()

PLAN = plan.Plan(recoco_config)


wildcard_constraints:
    dataset=r"[\w.-]+",
    weighting=r"[\w.-]+",
    slug=r"[\w.=+@-]+",
    start=r"\d+",
    stop=r"\d+",
    paper=r"[\w-]+",
    step=r"[\w-]+",
    part=r"[\w.=+@/-]+\.(npz|json)",


def papers():
    return list(recoco_config.papers)


def characteristics_of_all():
    datasets = plan.datasets_of(recoco_config)
    return [f"resources/prepared/{dataset}.json" for dataset in datasets]


def card_of(wildcards):
    """The part of a card that decides the prepared data, and what the papers print about it.

    Data that was fetched does not depend on whether twins are wanted, nor on what they are. The
    receipt is read by its path: Snakemake does not notice changes of parameters that use `input`.
    It asks again once the file is there.
    """
    card = load_card(wildcards.dataset)
    receipt = f"resources/raw/{wildcards.dataset}/receipt.json"
    twin = wanted_twin(wildcards.dataset, recoco_config.settings["twins"], receipt)
    return {
        "card": {key: value for key, value in card.items() if key not in NOT_DATA},
        "printed": printed_rows(card),
        **({"twin": {**twin, "master_seed": recoco_config.master_seed}} if twin else {}),
    }


def code_of_prepare(wildcards):
    return fingerprint(*entries_of(wildcards.dataset))


def name_of(wildcards):
    """Name of the setting that a job is about."""
    return plan.name_from_path(f"{wildcards.dataset}/{wildcards.weighting}/{wildcards.slug}")


def setting_of(wildcards):
    name = name_of(wildcards)
    if name not in PLAN.settings:
        raise ValueError(f"no experiment asks for {name}: see config/papers")
    return PLAN.settings[name]


def parameters_of(wildcards):
    return plan.parameters(recoco_config, setting_of(wildcards))


def method_of(wildcards):
    return setting_of(wildcards).method


def import_path_of_run(wildcards):
    return plan.import_path(recoco_config, setting_of(wildcards).method)


# Snakemake does not notice edits in an imported package, so the code is a parameter.
def code_of_run(wildcards):
    return fingerprint(import_path_of_run(wildcards), "recoco.runs.block:run_block")


def blocks_of_dataset(wildcards):
    names = PLAN.settings_on(wildcards.dataset)
    return [block for name in names for block in PLAN.blocks(name)]


def run_counts_of_dataset(wildcards):
    """Blocks and number of runs of every setting on a dataset."""
    names = PLAN.settings_on(wildcards.dataset)
    return {name: (PLAN.blocks(name), PLAN.runs(name)) for name in names}


def analysis_of(wildcards):
    path = f"results/analyse/{wildcards.paper}/{wildcards.step}/{wildcards.part}"
    if path not in PLAN.analyses:
        raise ValueError(f"no item asks for {path}: see config/papers")
    return PLAN.analyses[path]


def inputs_of_analysis(wildcards):
    return analysis_of(wildcards).inputs


def code_of_analysis(wildcards):
    analysis = analysis_of(wildcards)
    return fingerprint(analysis.function, *analysis.code)


def kinds_of(*keys):
    """The modules of the kinds that papers use: the registry loads them at run time."""
    items = [item for key in keys for item in recoco_config.papers[key]["items"].values()]
    return sorted({type(kind_of(item)).__module__ for item in items})


def code_of_report():
    """The drawings of all kinds count: an item may name any of them."""
    pages = ("recoco.report.site", "recoco.report.provenance")
    return fingerprint(*pages, *kinds_of(*papers()), *modules_of_drawings())


def printed_papers(wildcards):
    """Tables of the papers whose printed order a leaderboard is compared with."""
    items = recoco_config.papers[wildcards.paper]["items"].values()
    if all(item["kind"] != "leaderboard" for item in items):
        return {}
    return printed_tables()


def files_of_paper(wildcards):
    """The files that the comparison of a paper reads; a leaderboard reads those of all papers."""
    own = paper_data.load_paper(wildcards.paper).files(
        paper_data.PRINTED, paper_data.CLAIMS, paper_data.EXAMPLES
    )
    if not printed_papers(wildcards):
        return own
    others = paper_data.all_papers().values()
    return own + [path for paper in others for path in paper.files(paper_data.PRINTED)]


def files_of_report():
    known = paper_data.all_papers().values()
    names = (paper_data.PRINTED, paper_data.ERRATA)
    return [path for paper in known for path in paper.files(*names)]


def reference_of_report():
    return [str(path) for path in overlay.files_of(Path(), papers())]


# Resources that a job requests from a cluster; no result depends on them.
def need_of(stage, wildcards):
    name = getattr(wildcards, "dataset", getattr(wildcards, "paper", ""))
    slug, starts = "", 1
    if stage == "run":
        setting = setting_of(wildcards)
        runs = int(wildcards.stop) - int(wildcards.start)
        slug, starts = setting.slug, runs * plan.starts_of(setting)
    elif stage == "analyse":
        analysis = analysis_of(wildcards)
        stage, slug, name = analysis.step, analysis.slug, analysis.dataset or name
    return load_needs().of(stage, name, slug, starts)


def early(wildcards):
    """The priority of jobs about a dataset: a table of the smaller half comes early."""
    return int(wildcards.dataset in PLAN.early)


def memory(stage):
    return lambda wildcards, attempt: attempt * load_needs().megabytes(need_of(stage, wildcards))


def minutes(stage):
    # A block of runs stops by itself.
    limit = recoco_config.settings["time_limit"] if stage == "run" else None
    return lambda wildcards, attempt: attempt * load_needs().minutes(
        need_of(stage, wildcards), limit
    )


def templates():
    return fingerprint_of_files("report/templates", "report/assets")


def code_lines():
    return digest_of_cards(Path("config/method_cards.yaml"))


def documents():
    return [name for name in DOCUMENTS if Path(name).is_file()]
