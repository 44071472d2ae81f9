"""Errors are one sentence, and callers of an estimator catch them as they catch scikit-learn's."""

import zipfile

import pytest

from recoco import CoClus
from recoco.archive.opening import open_archive
from recoco.core.errors import RecocoError
from recoco.datasets.disk_convert import _source
from support.archive_fixture import small_archive


def test_bad_input_is_a_value_error():
    with pytest.raises(ValueError, match="n_clusters"):
        CoClus(0).fit([[1, 2], [3, 4]])
    assert issubclass(RecocoError, ValueError)


def test_a_sentence_is_not_put_into_another_one(tmp_path):
    """Where errors of libraries become a sentence, one that is a sentence already stays."""
    path = small_archive(tmp_path / "a.zip")
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".json"))
    with open_archive(path) as opened:
        opened._pieces = raising
        with pytest.raises(RecocoError, match=r"^damaged: get it again"):
            opened.json(name)
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n")
    with pytest.raises(RecocoError) as caught:
        _source(tmp_path / "a.mtx")
    assert "cannot be read" not in str(caught.value)


def raising(_):
    raise RecocoError("damaged: get it again")
