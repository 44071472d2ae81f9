"""The methods of a plan: their classes, their parameters in force, their criterion."""

from recoco.config import Config
from recoco.config.schema import nearest
from recoco.core.errors import RecocoError
from recoco.plan.setting import Setting
from recoco.plan.settings import settings_of


def parameters(config: Config, setting: Setting) -> dict:
    """Return all parameters in force for a setting."""
    return {**config.methods[setting.method]["params"], **dict(setting.params)}


def method_class(config: Config, method: str) -> str:
    """Return a method's class: its name in the registry or "module:Class"."""
    return config.methods[method].get("class", method)


def import_path(config: Config, method: str) -> str:
    """Return the import path of a method's class, as "module:Class"."""
    from recoco.methods import METHODS

    name = method_class(config, method)
    path = name if ":" in name else METHODS.get(name)
    if path is None:
        raise RecocoError(
            f"methods.yaml lists {method!r}, which recoco does not have: "
            "give it a class as module:Class or remove it."
        )
    return path


def larger_is_better(config: Config, method: str) -> bool:
    """Say whether a larger value of a method's criterion is better."""
    from recoco.methods import get_method

    return get_method(method_class(config, method)).larger_is_better


def check_parameters(config: Config) -> None:
    """Reject a parameter that a method does not have, before anything is computed."""
    import inspect

    from recoco.methods import get_method

    used = {(s.method, tuple(sorted(parameters(config, s)))) for s in settings_of(config)}
    for method, names in sorted(used):
        import_path(config, method)  # raises if there is no such method
        known = list(inspect.signature(get_method(method_class(config, method))).parameters)
        for name in names:
            if name not in known:
                raise RecocoError(
                    f"Method {method!r} has no parameter {name!r} (config/methods.yaml or a "
                    f"paper's file): {nearest(name, known)}"
                )
