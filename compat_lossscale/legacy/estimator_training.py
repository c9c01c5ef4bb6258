# SPDX-License-Identifier: Apache-2.0
"""Stands for private modules that left TensorFlow, and that estimators and callbacks import.

Gives `tf.estimator` too, and says what to install where its package is missing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from compat_lossscale.neighbour_names import neighbour_at

ESTIMATOR_API_NAME = "tensorflow"
"""Under which of TensorFlow's APIs the package lists its names: the one for estimators is gone."""


def init_run_config(config: Any, tf_config: Mapping[str, Any]) -> None:
    """Fills in a `RunConfig` that has a strategy.

    Raises:
        ValueError: A strategy is given twice.
        NotImplementedError: TF_CONFIG describes a cluster.
    """
    both = config._experimental_distribute
    if both is not None:
        if config._train_distribute is not None or config._eval_distribute is not None:
            raise ValueError(
                "RunConfig takes experimental_distribute, or train_distribute and "
                "eval_distribute, and not both."
            )
        config._train_distribute = both.train_distribute
        config._eval_distribute = both.eval_distribute
    if tf_config.get("cluster"):
        raise NotImplementedError(
            "An estimator cannot train under a strategy over several workers any more: what "
            "coordinated them left TensorFlow with 2.15. Take the cluster out of TF_CONFIG, or "
            "train a tf.keras.Model under tf.distribute.MultiWorkerMirroredStrategy."
        )
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def should_run_distribute_coordinator(config: Any) -> bool:
    """Whether several workers have to be coordinated: never, see above."""
    return False


class OnlyImported:
    """What any other name of those modules is here. Programs hardly ever use one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "This is of a private module that left TensorFlow, and can only be imported. In place "
            "of tensorflow.python.eager.profiler, use tf.profiler.experimental. Estimators do not "
            "run on TPUs any more: train a tf.keras.Model under tf.distribute.TPUStrategy."
        )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in {"estimator_v1", "estimator_v2"}:
        return OnlyImported
    api = f"tensorflow_estimator._api.{name[-2:]}.estimator"
    try:
        return importlib.import_module(api)
    except ModuleNotFoundError as error:
        if error.name != "tensorflow_estimator":
            raise
        neighbour = neighbour_at("tensorflow.estimator")
        assert neighbour is not None
        raise AttributeError(neighbour.missing(), name="estimator") from None
