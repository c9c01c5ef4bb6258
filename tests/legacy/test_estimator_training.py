# SPDX-License-Identifier: Apache-2.0
"""What tensorflow-estimator asks of modules that left TensorFlow."""

from __future__ import annotations

import types
from typing import Any

import pytest

from compat_lossscale.legacy import estimator_training


def run_config(**given: Any) -> Any:
    config = types.SimpleNamespace(
        _experimental_distribute=None, _train_distribute=None, _eval_distribute=None, called=[]
    )
    config._init_distributed_setting_from_environment_var = config.called.append
    config._maybe_overwrite_session_config_for_distributed_training = lambda: config.called.append(
        "session"
    )
    vars(config).update(given)
    return config


def test_a_strategy_on_one_worker_fills_in_the_config() -> None:
    config = run_config(_train_distribute="mirrored")
    estimator_training.init_run_config(config, {})
    assert config._distribute_coordinator_mode is None
    assert config.called == [{}, "session"]
    assert not estimator_training.should_run_distribute_coordinator(config)


def test_both_strategies_can_be_given_at_once() -> None:
    both = types.SimpleNamespace(train_distribute="a", eval_distribute="b")
    config = run_config(_experimental_distribute=both)
    estimator_training.init_run_config(config, {})
    assert (config._train_distribute, config._eval_distribute) == ("a", "b")
    config = run_config(_experimental_distribute=both, _train_distribute="c")
    with pytest.raises(ValueError, match="and not both"):
        estimator_training.init_run_config(config, {})


def test_a_cluster_is_an_error_that_says_what_to_use() -> None:
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        estimator_training.init_run_config(run_config(), {"cluster": {"worker": ["a:1"]}})


@pytest.mark.parametrize(
    ("name", "instead"), [("TableConfig", "TPUStrategy"), ("start", "tf.profiler.experimental")]
)
def test_what_is_imported_only_says_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(NotImplementedError, match=instead):
        getattr(estimator_training, name)()
    assert not hasattr(estimator_training, "__path__")


def test_without_its_package_an_estimator_is_missing_and_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="tensorflow_estimator")

    monkeypatch.setattr(estimator_training.importlib, "import_module", missing)
    with pytest.raises(AttributeError, match="pip install --no-deps 'tensorflow-estimator"):
        _ = estimator_training.estimator_v2
