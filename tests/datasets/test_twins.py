"""Twins: drawn data with the shape of a dataset that is not available."""

import json
from functools import cache

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import list_cards, load_card, load_prepared
from recoco.datasets.calibration import BAND, calibrate, score_of_twin
from recoco.datasets.card_checks import check_card
from recoco.datasets.twins import SMALL, draw_twin, nonzeros_of, prepare_twin, shape_of, wanted_twin

SEED = 2015
# From the smallest on: methods that need a minute on a twin are left to `recoco twin`.
SCORED = ("cstr", "ng2", "oh0", "oh15", "classic3", "tr12", "webkb4", "costar-t2", "corel-i1")


# Raw texts and matrices that no table is computed on, and graphs that are too large to calibrate.
WITHOUT_TWIN = {
    *("ng20raw", "ng20words", "ng20-zhong", "octis-bbc", "tr41", "pubmed-diabetes"),
    *("amazon10", "dblp3", "nuswide8"),
}


@cache
def described() -> dict[str, dict]:
    return {name: card for name in list_cards() if "twin" in (card := load_card(name))}


def small() -> list[str]:
    return [name for name, card in described().items() if nonzeros_of(card) <= 300_000]


@cache
def drawn(name: str):
    return draw_twin(described()[name], SEED)


def test_every_dataset_without_a_source_in_a_registry_has_a_twin():
    kinds = {name: {s["kind"] for s in load_card(name)["sources"]} for name in list_cards()}
    alone = {name for name, k in kinds.items() if not k & {"package", "synthetic", "sklearn"}}
    assert alone - described().keys() <= WITHOUT_TWIN


@pytest.mark.parametrize("name", small())
def test_a_twin_has_exactly_the_shape_of_its_dataset(name):
    card, twin = described()[name], drawn(name)
    columns, nonzeros = shape_of(card)
    rows = sum(card["twin"]["class_sizes"])
    assert [view.shape for view in twin.views] == [(rows, width) for width in columns]
    assert [np.count_nonzero(view.data) for view in twin.views] == nonzeros
    assert np.bincount(twin.labels).tolist() == card["twin"]["class_sizes"]
    expected = card.get("expected") or {}
    for key, value in {"rows": rows, "classes": twin.n_classes, "columns": columns}.items():
        assert expected.get(key, value) == value
    assert expected.get("nonzeros", nonzeros) == nonzeros


@pytest.mark.parametrize("name", small())
def test_a_twin_has_values_of_the_content_of_its_dataset(name):
    content = described()[name]["content"]
    for view in drawn(name).views:
        assert view.has_sorted_indices and (view.data > 0).all()
        if content == "counts":
            assert (view.data == np.round(view.data)).all()
        if content == "binary":
            assert (view.data == 1).all()
        if content in ("counts", "binary"):
            # a law like Zipf's: few terms are in many documents, and none is in no document
            frequency = np.sort(np.bincount(view.indices, minlength=view.shape[1]))
            assert frequency[0] > 0 or view.nnz < 2 * view.shape[1]


def test_terms_follow_a_law_like_that_of_zipf():
    frequency = np.sort(np.bincount(drawn("classic3").X.indices))[::-1]
    places = np.array([30, 100, 300, 1000])
    slope = np.polyfit(np.log(places), np.log(frequency[places]), 1)[0]
    assert -1.6 < slope < -0.5


def test_graphs_are_symmetric_and_join_a_class_more_than_others():
    card = small_card(graphs=True, columns=[60, 60], nonzeros=[400, 401])
    twin = draw_twin(card, SEED)
    for view, filled in zip(twin.views, (400, 401), strict=True):
        assert abs(view - view.T).nnz == 0 or card["content"] != "binary"
        assert view.nnz == filled
        row, column = view.nonzero()
        same = (twin.labels[row] == twin.labels[column]).mean()
        assert same > 0.6 > (np.bincount(twin.labels) / 60 @ np.bincount(twin.labels)) / 60
    assert twin.meta["graphs"] == "given"


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path):
    (tmp_path / "receipt.json").write_text('{"status": "unreachable", "tried": ["nowhere"]}')
    for seed, name in ((SEED, "a"), (SEED, "b"), (SEED + 1, "c")):
        prepare_twin("cstr", tmp_path, tmp_path / f"{name}.npz", tmp_path / f"{name}.json", seed)
    content = {name: (tmp_path / f"{name}.npz").read_bytes() for name in "abc"}
    assert content["a"] == content["b"] != content["c"]
    record = json.loads((tmp_path / "a.json").read_text())
    assert record["status"] == "twin" and record["tried"] == ["nowhere"]
    assert record["by_hand"] == load_card("cstr")["by_hand"]
    twin = load_prepared(tmp_path / "a.npz")
    assert twin.meta["status"] == "twin" and (twin.X != drawn("cstr").X).nnz == 0


def test_the_more_separate_the_classes_the_better_the_score():
    card = described()["cstr"]
    scores = [score_of_twin(card, separation) for separation in (0.0, 0.4, 1.0)]
    assert scores == sorted(scores) and scores[0] < 0.1 < 0.8 < scores[2]


@pytest.mark.parametrize("name", SCORED)
def test_the_method_of_the_target_has_its_score_on_the_twin(name):
    card = described()[name]
    assert score_of_twin(card) == pytest.approx(card["twin"]["target"]["value"], abs=BAND)


def test_calibration_finds_the_separation_again():
    card = described()["ng2"]
    wanted = card["twin"]["target"]["value"]
    forgotten = {**card, "twin": {**card["twin"], "separation": 0.0}}
    found = calibrate(forgotten)
    assert found.separation == card["twin"]["separation"]
    assert found.score == pytest.approx(wanted, abs=BAND)


def test_a_twin_is_wanted_only_where_data_could_not_be_fetched(tmp_path):
    receipt = tmp_path / "receipt.json"
    receipt.write_text('{"status": "ok"}')
    assert wanted_twin("cstr", "all", receipt) is None
    receipt.write_text('{"status": "unreachable"}')
    assert wanted_twin("cstr", "none", receipt) is None
    assert wanted_twin("cstr", "small", receipt)["twin"]["class_sizes"] == [101, 71, 178, 125]
    assert nonzeros_of(described()["sports"]) > SMALL
    assert wanted_twin("sports", "small", receipt) is None
    assert wanted_twin("sports", "all", receipt) is not None
    assert wanted_twin("planted-small", "all", receipt) is None


def test_more_non_zeros_than_cells_are_an_error_that_names_the_card():
    with pytest.raises(RecocoError, match="invented: 9000 non-zeros do not fit"):
        draw_twin(small_card(columns=[100], nonzeros=[9000]), SEED)
    pairs = 60 * 59
    assert draw_twin(small_card(True, columns=[60], nonzeros=[pairs]), SEED).views[0].nnz == pairs
    with pytest.raises(RecocoError, match="invented: 3542 non-zeros do not fit"):
        draw_twin(small_card(True, columns=[60], nonzeros=[pairs + 2]), SEED)
    with pytest.raises(RecocoError, match="its twin needs nonzeros"):
        draw_twin(small_card(columns=[100]), SEED)


def test_a_twin_that_fits_no_memory_is_refused():
    twin = {"class_sizes": [5, 5], "columns": [10**9], "nonzeros": [10]}
    with pytest.raises(RecocoError, match="twin has more than 1000000000 numbers"):
        check_card({"sources": [], "twin": twin}, "invented.yaml")


def small_card(graphs: bool = False, **shape) -> dict:
    twin = {"class_sizes": [30, 20, 10], "separation": 0.8, "rank_offset": 10}
    twin |= {"graphs": graphs, **shape}
    return {"name": "invented", "title": "Invented", "content": "counts", "twin": twin}
