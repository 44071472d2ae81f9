"""What `import recoco` offers: every registered estimator, without loading any of them."""

import doctest
import re
import subprocess
import sys

import pytest

import recoco
from recoco.core.errors import RecocoError
from recoco.methods import METHODS, get_method


@pytest.mark.parametrize("name", METHODS)
def test_every_registered_estimator_can_be_imported_from_recoco(name):
    method = get_method(name)
    assert getattr(recoco, method.__name__) is method
    assert method.name == name
    assert {method.__name__} <= set(recoco.__all__) <= set(dir(recoco))


@pytest.mark.parametrize("name", METHODS)
def test_the_documentation_of_an_estimator_is_complete_and_its_example_runs(name):
    method = get_method(name)
    section = method.__doc__.partition("Parameters\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^    (\w[\w, ]*?)(?: :|$)", section, re.MULTILINE)
    documented = {parameter for entry in entries for parameter in entry.split(", ")}
    assert documented == set(method().get_params())
    (example,) = doctest.DocTestFinder(recurse=False).find(method, method.__name__)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_every_exported_name_exists():
    for name in recoco.__all__:
        assert getattr(recoco, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'CoClsu'"):
        recoco.CoClsu  # noqa: B018


def test_importing_recoco_loads_no_library():
    code = "import recoco, sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "scipy", "sklearn", "yaml"} & set(done.stdout.split())


def test_an_unknown_method_is_refused_with_the_nearest_name():
    with pytest.raises(RecocoError, match="did you mean 'coclus'"):
        get_method("cocluss")
