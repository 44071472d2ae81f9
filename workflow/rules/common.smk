# The only file here with Python: what the others ask of recoco's plan.

import recoco.plan as plan
import recoco.word_plan as word_plan
from recoco.commas import keep_commas
from recoco.compare.outputs import OUTPUTS
from recoco.config import load_config
from recoco.datasets.card import load_card, modules_of, printed_rows
from recoco.fingerprint import fingerprint, fingerprint_of_files
from recoco.job import share_source
from recoco.needs import load_needs

recoco_config = load_config(config)

share_source()
keep_commas()

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
BLOCKS = {
    name: plan.blocks_of(recoco_config, setting, total)
    for name, (setting, total) in SETTINGS.items()
}


wildcard_constraints:
    dataset=r"[\w.-]+",
    weighting=r"[\w.-]+",
    slug=r"[\w.,=+-]+",
    start=r"\d+",
    stop=r"\d+",
    paper=r"[\w-]+",


def datasets():
    return plan.datasets_of(recoco_config)


def papers():
    return list(recoco_config.papers)


def characteristics_of_all():
    return [f"resources/prepared/{dataset}.json" for dataset in datasets()]


def card_of(wildcards):
    """What of a card decides the prepared data, with what the papers print about it."""
    words = ("title", "description", "citation", "licence", "notes")
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
    return fingerprint(entry, "recoco.word_stage")


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


def characteristics_of_paper(wildcards):
    cards = plan.datasets_of_paper(recoco_config, wildcards.paper)
    return [f"resources/prepared/{dataset}.json" for dataset in cards]


def published_files():
    return [
        f"config/published/{name}"
        for name in ("published.csv", "datasets.csv", "claims.csv", "worked_examples.json")
    ]


# What a job asks of a cluster; on one machine nothing is asked. No result depends on it.
def need_of(rule, wildcards):
    name = getattr(wildcards, "dataset", getattr(wildcards, "paper", ""))
    method, starts = "", 1
    if rule == "run":
        setting = setting_of(wildcards)
        runs = int(wildcards.stop) - int(wildcards.start)
        method, starts = setting.method, runs * plan.starts_of(setting)
    elif rule == "words":
        method = words_setting(wildcards).method
    elif rule in ("consensus", "score"):
        starts = sum(total for _, total in settings_of(name).values())
    return load_needs().of(rule, name, method, starts)


def memory(rule):
    return lambda wildcards, attempt: attempt * load_needs().megabytes(need_of(rule, wildcards))


def minutes(rule):
    # A block of runs gives up by itself.
    limit = recoco_config.settings["time_limit"] if rule == "run" else None
    return lambda wildcards, attempt: attempt * load_needs().minutes(
        need_of(rule, wildcards), limit
    )


def templates():
    return fingerprint_of_files("report/templates", "report/assets")


def run_counts():
    totals = [total for _, total in BLOCKS.values()] or [0]
    full = [paper["runs"] for paper in recoco_config.papers.values()]
    return {"fewest": min(totals), "most": max(totals), "full": max(full)}
