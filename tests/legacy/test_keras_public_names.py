# SPDX-License-Identifier: Apache-2.0
"""The public names that are written in the place of private ones are what these are served by."""

from __future__ import annotations

import tf_keras

from compat_lossscale.neighbour_names import OTHERS, PUBLIC_NAMES, successor_of
from compat_lossscale.neighbour_names.keras_names import ELSEWHERE, MODULES, PRIVATE
from tests.support import REPOSITORY, run_code
from tools import keras_public_names


def test_the_file_is_made_from_tf_keras() -> None:
    assert "Dense" in PUBLIC_NAMES["layers"]
    assert tf_keras.layers.Dense
    names = REPOSITORY / "compat_lossscale" / "neighbour_names"
    assert (names / "keras_public_names.json").read_text("utf-8") == keras_public_names.content(), (
        "run: python -m tools.keras_public_names"
    )


def test_every_public_name_is_what_programs_get_of_the_private_modules() -> None:
    modules = sorted(
        {one.module_or_name.removeprefix(PRIVATE)[1:] for one in MODULES}
        | {place.rpartition(".")[0] for place in ELSEWHERE}
    )
    code = f"""
    import importlib
    import tensorflow as tf
    import compat_lossscale
    compat_lossscale.install()
    from compat_lossscale.neighbour_names import successor_of
    checked = 0
    for module in {[*PUBLIC_NAMES, *modules]!r}:
        if module.startswith(("optimizer", "protobuf", "mixed_precision")):
            continue
        path = "{PRIVATE}." + module if module else "{PRIVATE}"
        try:
            private = importlib.import_module(path)
        except ModuleNotFoundError:
            continue
        for name in dir(private):
            new = successor_of(path + "." + name)
            if not new or name.startswith("_"):
                continue
            public = tf
            for part in new.split(".")[1:]:
                public = getattr(public, part)
            old = getattr(private, name)
            if isinstance(public, type) or callable(public):
                assert old is public, (path, name, new)
                checked += 1
    assert checked > 500, checked
    """
    run_code(code, environment={"TF_USE_LEGACY_KERAS": "1"}, tensorflow_may_be_imported=True)


def test_a_public_name_is_found_from_wherever_its_module_is() -> None:
    for module, names in PUBLIC_NAMES.items():
        path = f"{PRIVATE}.{module}".removesuffix(".")
        for name in names.split():
            if name not in OTHERS.get(module, "").split():
                assert successor_of(f"{path}.{name}").endswith(f".{name}")
