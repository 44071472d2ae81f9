# The only file here with Python: what the others ask of recoco's plan.

from pathlib import Path

import recoco.cocluster_plan as cocluster_plan
import recoco.graph_plan as graph_plan
import recoco.kernel_plan as kernel_plan
import recoco.leaderboard_plan as leaderboard_plan
import recoco.plan as plan
import recoco.study_plan as study_plan
import recoco.word_plan as word_plan
from recoco.archive.contents import DOCUMENTS
from recoco.commas import keep_commas
from recoco.compare.outputs import OUTPUTS
from recoco.config import load_config
from recoco.datasets.card import load_card, modules_of, printed_rows
from recoco.fingerprint import fingerprint, fingerprint_of_files
from recoco.job import share_source
from recoco.needs import load_needs
from recoco.provenance import commit_now, run_counts
from recoco.replanning import plan_when_jobs_end
from recoco.report.code_lines import digest_of_cards

recoco_config = load_config(config)

share_source()
keep_commas()
plan_when_jobs_end()

# Where the dataset could not be had, there is nothing to run: its cells say so.
MISSING = plan.unreachable()
SETTINGS = {
    setting.name: (setting, total)
    for setting, total in plan.settings_of(recoco_config).items()
    if setting.dataset not in MISSING
}
WORDS = {
    setting.name: (setting, total)
    for setting, total in word_plan.words_of(recoco_config).items()
    if setting.dataset not in MISSING
}
COCLUSTERS = {
    setting.name: (setting, total)
    for setting, total in cocluster_plan.coclusters_of(recoco_config).items()
    if setting.dataset not in MISSING
}
REPRESENTATIVES = {
    setting.name: top
    for setting, top in study_plan.representatives_of(recoco_config).items()
    if setting.name in SETTINGS
}
STUDIES = {
    str(path): study
    for kind in ("scaling", "convergence")
    for path, study in study_plan.studies_of(recoco_config, kind).items()
}
BLOCKS = {
    name: plan.blocks_of(recoco_config, setting, total)
    for name, (setting, total) in SETTINGS.items()
}
VARIANTS = kernel_plan.variants_of(recoco_config)


wildcard_constraints:
    dataset=r"[\w.-]+",
    weighting=r"[\w.-]+",
    slug=r"[\w.,=+-]+",
    start=r"\d+",
    stop=r"\d+",
    paper=r"[\w-]+",
    item=r"[\w-]+",


def datasets():
    return plan.datasets_of(recoco_config)


def papers():
    return list(recoco_config.papers)


def characteristics_of_all():
    return [f"resources/prepared/{dataset}.json" for dataset in datasets()]


def card_of(wildcards):
    """What of a card decides the prepared data, with what the papers print about it."""
    words = ("title", "description", "citation", "licence", "redistributable", "notes")
    card = load_card(wildcards.dataset)
    return {
        "card": {key: value for key, value in card.items() if key not in words},
        "printed": printed_rows(card),
    }


def code_of_prepare(wildcards):
    return fingerprint(*modules_of(wildcards.dataset))


def datasets_with_runs():
    return sorted({setting.dataset for setting, _ in SETTINGS.values()})


def setting_of(wildcards):
    name = name_of(wildcards)
    if name not in SETTINGS:
        raise ValueError(f"no experiment asks for {name}: see config/papers")
    return SETTINGS[name][0]


def parameters_of(wildcards):
    return plan.parameters(recoco_config, setting_of(wildcards))


def method_of(wildcards):
    return setting_of(wildcards).method


def place_of_run(wildcards):
    return plan.method_place(recoco_config, setting_of(wildcards).method)


# Snakemake does not see edits inside an imported package, so the code is a parameter.
def code_of_run(wildcards):
    entry = plan.method_module(recoco_config, setting_of(wildcards).method)
    return fingerprint(entry, "recoco.run")


def settings_of(dataset):
    return {
        name: (BLOCKS[name][0], BLOCKS[name][1])
        for name, (setting, _) in SETTINGS.items()
        if setting.dataset == dataset
    }


def blocks_of_dataset(wildcards):
    return [
        str(plan.block_path(SETTINGS[name][0], start, stop))
        for name, (ranges, _) in settings_of(wildcards.dataset).items()
        for start, stop in ranges
    ]


def run_counts_of_dataset(wildcards):
    return {
        name: ([str(plan.block_path(SETTINGS[name][0], *r)) for r in ranges], total)
        for name, (ranges, total) in settings_of(wildcards.dataset).items()
    }


def ranked_settings_of_dataset(wildcards):
    """Blocks and runs of every setting, and whether a larger criterion is better."""
    return {
        name: (*found, plan.larger_is_better(recoco_config, SETTINGS[name][0].method))
        for name, found in run_counts_of_dataset(wildcards).items()
    }


def stage_of_paper(wildcards, stage, asked_of):
    """Files of a stage that some item of the paper asks for, one per dataset at hand."""
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    return [
        f"results/{stage}/{card}.json"
        for card in cards
        if card in datasets_with_runs()
        and any(task["paper"] == wildcards.paper for task in asked_of(recoco_config, card))
    ]


def ensembles_of_paper(wildcards):
    return stage_of_paper(wildcards, "ensembles", graph_plan.ensembles_of)


def topics_of_paper(wildcards):
    return stage_of_paper(wildcards, "topics", graph_plan.topics_of)


def settings_of_fusions(wildcards):
    """Blocks, runs and direction of every setting that the leaderboards of a dataset rank."""
    tasks = leaderboard_plan.fusions_of(recoco_config, wildcards.dataset)
    members = {m["setting"] for task in tasks for m in task["members"].values()}
    ranked = ranked_settings_of_dataset(wildcards)
    return {name: ranked[name] for name in ranked if name in members}


def blocks_of_fusions(wildcards):
    return [block for blocks, *_ in settings_of_fusions(wildcards).values() for block in blocks]


def fusions_of_paper(wildcards):
    return stage_of_paper(wildcards, "fusions", leaderboard_plan.fusions_of)


def printed_papers(wildcards):
    """Tables of the papers whose printed order a leaderboard is compared with."""
    items = recoco_config.papers[wildcards.paper]["items"].values()
    if all(block["kind"] != "leaderboard" for block in items):
        return {}
    return leaderboard_plan.printed_tables()


def scores_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    return [f"results/scores/{d}.parquet" for d in cards if d in datasets_with_runs()]


def name_of(wildcards):
    return f"{wildcards.dataset}/{wildcards.weighting}/{wildcards.slug}"


def words_setting(wildcards):
    return WORDS[name_of(wildcards)][0]


def place_of_words(wildcards):
    return plan.method_place(recoco_config, words_setting(wildcards).method)


def runs_of_words(wildcards):
    total = WORDS[name_of(wildcards)][1]
    first_only = recoco_config.settings["runs"]["first_only"]
    return min(total, recoco_config.settings["runs"]["first"]) if first_only else total


def code_of_words(wildcards):
    entry = plan.method_module(recoco_config, words_setting(wildcards).method)
    return fingerprint(entry, "recoco.word_factors")


def words_of_dataset(wildcards):
    return [
        str(word_plan.words_path(setting))
        for setting, _ in WORDS.values()
        if setting.dataset == wildcards.dataset
    ]


def receipts_of_corpora(wildcards):
    corpora = word_plan.corpora_of(recoco_config, wildcards.dataset)
    return [f"resources/raw/{card}/receipt.json" for card in corpora]


def words_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    return [str(word_plan.words_path(s)) for s, _ in WORDS.values() if s.dataset in cards]


def coherence_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    have = {setting.dataset for setting, _ in WORDS.values()}
    return [f"results/coherence/{card}.npz" for card in cards if card in have]


def densities_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    asked = [c for c in cards if c not in MISSING and word_plan.shifts_of(recoco_config, c)]
    return [f"results/densities/{card}.json" for card in asked]


def blocks_of_coclusters(wildcards):
    name = name_of(wildcards)
    ranges = BLOCKS[name][0]
    return [str(plan.block_path(SETTINGS[name][0], start, stop)) for start, stop in ranges]


def place_of_coclusters(wildcards):
    return plan.method_place(recoco_config, COCLUSTERS[name_of(wildcards)][0].method)


def runs_of_coclusters(wildcards):
    name = name_of(wildcards)
    return min(COCLUSTERS[name][1], BLOCKS[name][1])


def coclusters_of_dataset(wildcards):
    return [
        str(cocluster_plan.coclusters_path(setting))
        for setting, _ in COCLUSTERS.values()
        if setting.dataset == wildcards.dataset
    ]


def receipts_of_neighbours(wildcards):
    corpora = cocluster_plan.corpora_of(recoco_config, wildcards.dataset)
    return [f"resources/raw/{card}/receipt.json" for card in corpora]


def coclusters_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    asked = [setting for setting, _ in COCLUSTERS.values() if setting.dataset in cards]
    return [str(cocluster_plan.coclusters_path(setting)) for setting in asked]


def neighbours_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    have = {setting.dataset for setting, _ in COCLUSTERS.values()}
    asked = [c for c in cards if c in have and cocluster_plan.corpora_of(recoco_config, c)]
    return [f"results/neighbours/{card}.npz" for card in asked]


def blocks_of_setting(wildcards):
    """What of a setting's runs is looked at: blocks that are there are used whole."""
    name = name_of(wildcards)
    return [str(plan.block_path(SETTINGS[name][0], *r)) for r in BLOCKS[name][0]]


def block_of_study(wildcards):
    """What of an item decides its numbers, with the parameters of its method."""
    block = recoco_config.papers[wildcards.paper]["items"][wildcards.item]
    known = recoco_config.methods[block["method"]].get("params", {})
    words = ("title", "caption", "later", "draw", "along", "runs")
    told = {key: value for key, value in block.items() if key not in words}
    variants = block.get("variants", {"": {}})
    return {**told, "variants": {name: {**known, **params} for name, params in variants.items()}}


def place_of_study(wildcards):
    return plan.method_place(recoco_config, block_of_study(wildcards)["method"])


def code_of_study(wildcards):
    entry = plan.method_module(recoco_config, block_of_study(wildcards)["method"])
    return fingerprint(entry, "recoco.study_stage")


def runs_of_study(wildcards):
    paper = recoco_config.papers[wildcards.paper]
    return plan.runs_of(recoco_config, paper, paper["items"][wildcards.item])


def studies_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    words = [SETTINGS[name][0] for name in REPRESENTATIVES]
    return [
        *(str(study_plan.representatives_path(s)) for s in words if s.dataset in cards),
        *(path for path, (paper, *_) in STUDIES.items() if paper == wildcards.paper),
    ]


def characteristics_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    return [f"resources/prepared/{dataset}.json" for dataset in cards]


def published_files():
    return [
        f"config/published/{name}"
        for name in ("published.csv", "datasets.csv", "claims.csv", "worked_examples.json")
    ]


# What a job asks of a cluster; on one machine nothing is asked. No result depends on it.
def need_of(stage, wildcards):
    name = getattr(wildcards, "dataset", getattr(wildcards, "paper", ""))
    method, starts = "", 1
    if stage == "run":
        setting = setting_of(wildcards)
        runs = int(wildcards.stop) - int(wildcards.start)
        method, starts = setting.method, runs * plan.starts_of(setting)
    elif stage == "words":
        method = words_setting(wildcards).method
    elif stage in ("consensus", "score"):
        starts = sum(total for _, total in settings_of(name).values())
    return load_needs().of(stage, name, method, starts)


def memory(stage):
    return lambda wildcards, attempt: attempt * load_needs().megabytes(need_of(stage, wildcards))


def minutes(stage):
    # A block of runs gives up by itself.
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
