# SPDX-License-Identifier: Apache-2.0
"""Finds which names of `tensorflow.python.keras` are public names of `tf.keras`.

`python -m tools.keras_public_names` makes `keras_public_names.json` in `neighbour_names`, from
tf-keras' API and from what serves the private modules.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat_lossscale.legacy.serving import serving, serving_module
from compat_lossscale.neighbour_names.keras_names import MODULES, PRIVATE, homes

_API = "tf_keras.api._v2.keras"
_PACKAGES = {
    "": "activations backend callbacks constraints initializers layers losses metrics "
    "mixed_precision models regularizers utils",
    "applications": "densenet imagenet_utils inception_resnet_v2 inception_v3 mobilenet "
    "mobilenet_v2 nasnet resnet resnet50 resnet_v2 vgg16 vgg19 xception",
    "datasets": "boston_housing cifar10 cifar100 fashion_mnist imdb mnist reuters",
    "preprocessing": "image sequence text",
}
"""The public modules that old versions had as well, by the package they are in."""
_MIXED_PRECISION = "mixed_precision"
"""Under `run`, the public class of this module is the one for optimizers of the legacy family. In
tf-keras it stands for those of both families, and makes the same objects for these."""


def content() -> str:
    """Returns the content of the file."""
    public = _public_names()
    tables = {"public": public, "others": _others(public)}
    words = {
        name: {module: " ".join(members) for module, members in table.items()}
        for name, table in tables.items()
    }
    return f"{json.dumps(words, indent=1)}\n"


def _public_names() -> dict[str, list[str]]:
    modules = ["", *(package for package in _PACKAGES if package)]
    for package, below in _PACKAGES.items():
        modules += [f"{package}.{name}".removeprefix(".") for name in below.split()]
    return {module: _members(_public(module)) for module in sorted(modules)}


def _members(module: Any) -> list[str]:
    return sorted(name for name, value in vars(module).items() if _is_member(name, value))


def _is_member(name: str, value: object) -> bool:
    return not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value))


def _public(module: str) -> Any:
    return importlib.import_module(f"{_API}.{module}".removesuffix("."))


def _others(public: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The names in private modules that are others than their public namesakes."""
    others = {}
    for module in _private_modules():
        if module.partition(".")[0] == _MIXED_PRECISION:
            continue
        try:
            serving = _serving(module)
        except ModuleNotFoundError:
            continue
        different = [
            name
            for name in dir(serving)
            for home in [next((h for h in homes(module) if name in public.get(h, ())), None)]
            if home is not None
            if getattr(serving, name) is not getattr(_public(home), name)
        ]
        if different:
            others[module] = different
    return others


def _private_modules() -> list[str]:
    """The modules that there were, below `tensorflow.python.keras`."""
    own = Path(importlib.import_module(PRIVATE).__file__ or "").parent
    modules = {one.module_or_name for one in MODULES}
    walked = pkgutil.walk_packages([str(own)], f"{PRIVATE}.")
    modules.update(one.name for one in walked)
    return sorted(name.removeprefix(PRIVATE).removeprefix(".") for name in modules)


@functools.cache
def _serving(module: str) -> Any:
    """What serves a private module."""
    name = f"{PRIVATE}.{module}".strip(".")
    found = serving({one.module_or_name: one for one in MODULES}, name)
    assert found is not None
    return serving_module(found[1], name)


if __name__ == "__main__":
    print(content(), end="")
