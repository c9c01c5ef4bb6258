# SPDX-License-Identifier: Apache-2.0
"""Hostile and damaged files: no code runs, nothing outside is read, time and memory are bounded."""

from __future__ import annotations

import json
import os
import pickle
import time
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.formats import isolated
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from tests.formats.fuzz import fuzz, trained_seeds
from tests.formats.samples import CONFIG, SGD, archive, import_tf_keras, model, reason


def test_a_short_run_of_the_fuzzer_finds_nothing() -> None:
    counts, failures = fuzz(150, seed=1)
    assert failures == []
    assert sum(counts.values()) >= 150


@pytest.mark.nightly
def test_nor_does_one_on_models_of_other_architectures_and_optimizers(tmp_path: Path) -> None:
    seeds = trained_seeds(tmp_path, ["nested", "attention", "recurrent"])
    assert {kind for kind, _ in seeds} == {"keras", "h5", "saved_model"}
    counts, failures = fuzz(100, seed=1, seeds=seeds)
    assert failures == []
    assert not any("unexpected" in kind for kind, _ in counts)


# --- payloads -------------------------------------------------------------------------------------

BOMB = "open('executed', 'w')"
PAYLOADS: list[dict[str, Any]] = [
    {"class_name": "Lambda", "config": {"function": BOMB}},
    {"module": "evil", "class_name": "Evil", "config": {}, "registered_name": "evil>Evil"},
    {"module": "os", "class_name": "system", "config": {"command": "touch executed"}},
    {"class_name": "__lambda__", "config": {"value": BOMB}},
]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload["class_name"])
@pytest.mark.parametrize("form", ["json", "h5", "keras"])
def test_a_planted_payload_stays_inert(
    payload: dict[str, Any], form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module that marks its import, in the folder that a careless import would look in.
    (tmp_path / "evil.py").write_text(f"{BOMB}\nclass Evil: ...\n")
    (tmp_path / "h5py.py").write_text(f"{BOMB}\n")
    (tmp_path / "numpy.py").write_text(f"{BOMB}\n")
    monkeypatch.chdir(tmp_path)
    isolated.READER.stop()
    config = {**CONFIG, "inner_optimizer": payload, "hook": payload}
    path = tmp_path / f"model.{form}"
    if form == "json":
        path.write_text(json.dumps(config))
    elif form == "h5":
        with model(path) as file:
            file.attrs["model_config"] = json.dumps({"layers": [payload]})
            file.attrs["training_config"] = json.dumps({"optimizer_config": config})
    else:
        tree = {"layers": [payload], "compile_config": {"optimizer": config}}
        archive(path, config__json=json.dumps(tree), metadata__json="{}")
    result = verify_artefact(str(path))
    assert result.status is not ArtefactStatus.UNREADABLE, result.error
    assert not (tmp_path / "executed").exists()


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    class Payload:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {tmp_path}/executed",)

    path = tmp_path / "model.keras"
    path.write_bytes(pickle.dumps(Payload()))
    assert "not one of the artefacts" in reason(path)
    assert not (tmp_path / "executed").exists()


def test_deep_comparison_imports_nothing_that_a_config_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_tf_keras()
    from compat_lossscale.equivalence import StockOutcome, compare_with_stock

    (tmp_path / "evil_module.py").write_text(f"{BOMB}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    evil = {"module": "evil_module", "class_name": "Evil", "config": {}, "registered_name": None}
    sgd = {"learning_rate": evil, "momentum": 0.0}
    for inner in (evil, {**SGD, "module": "keras.optimizers.legacy", "config": sgd}):
        config = {**CONFIG, "inner_optimizer": inner}
        assert compare_with_stock(config, steps=1).outcome is StockOutcome.NOT_COMPARED
    in_old_name = {**SGD, "config": {"lr": evil, "learning_rate": 1.0}}
    compare_with_stock({**CONFIG, "inner_optimizer": in_old_name}, seeds=(0,), steps=1)
    assert not (tmp_path / "executed").exists()


# --- other files ----------------------------------------------------------------------------------


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "seconds"),
    [
        ([CONFIG] * 2000, 10),
        ({**CONFIG, "inner_optimizer": {**SGD, "config": {str(n): n for n in range(50_000)}}}, 20),
    ],
    ids=["many configs", "many settings"],
)
def test_time_does_not_explode_with_what_a_file_says(
    tree: Any, seconds: float, tmp_path: Path
) -> None:
    path = tmp_path / "many.json"
    path.write_text(json.dumps(tree))
    started = time.process_time()
    verify_artefact(str(path))
    assert time.process_time() - started < seconds


# --- the process that reads HDF5 ------------------------------------------------------------------


# --- damage ---------------------------------------------------------------------------------------


# --- writing --------------------------------------------------------------------------------------
