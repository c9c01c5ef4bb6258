# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

from compat_lossscale.optimizers import keras_is_patched, patch_keras, saving, unpatch_keras


def test_the_patches_of_keras_can_be_taken_back_and_repeated() -> None:
    def found() -> list[Any]:
        return [getattr(module, name) for module, name, _ in saving.PATCHES]

    patched = found()
    patch_keras()
    assert found() == patched
    unpatch_keras()
    try:
        assert not keras_is_patched()
        assert not set(found()) & set(patched)
        assert all(function.__module__.startswith("tf_keras") for function in found())
    finally:
        patch_keras()
    assert keras_is_patched()
