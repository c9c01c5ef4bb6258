# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

from compat_lossscale.optimizers import PATCHES, keras_patches


def test_the_patches_of_keras_can_be_taken_back_and_repeated() -> None:
    def found() -> list[Any]:
        functions = (one for one in PATCHES if not isinstance(one[0], dict))
        return [getattr(module, name) for module, name, _ in functions]

    patched = found()
    keras_patches.add(PATCHES)
    assert found() == patched
    keras_patches.replace(())
    try:
        assert not set(found()) & set(patched)
        assert all(function.__module__.startswith("tf_keras") for function in found())
    finally:
        keras_patches.add(PATCHES)
    assert keras_patches.applied
