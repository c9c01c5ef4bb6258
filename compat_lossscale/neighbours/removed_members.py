# SPDX-License-Identifier: Apache-2.0
"""What removed functions, and members of classes, of TensorFlow 2.0 to 2.4 did.

Imported when one is put back.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from absl import logging


def predict_proba(self: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Predicts, and warns of what cannot be probabilities. A `Sequential` had it up to 2.5."""
    probabilities = self.predict(x, batch_size, verbose)
    if probabilities.min() < 0 or probabilities.max() > 1:
        logging.warning(
            "predict_proba() gives values outside of 0 to 1: the last layer has no activation such "
            "as softmax or sigmoid."
        )
    return probabilities


def predict_classes(self: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Predicts the likeliest class, or for a single output 1 if it is above 0.5."""
    probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
    if probabilities.shape[-1] > 1:
        return probabilities.argmax(axis=-1)
    return (probabilities > 0.5).astype("int32")


def apply(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the layer."""
    return self(inputs, *args, **kwargs)


def get_updates_for(self: Any, inputs: Any) -> Any:
    """Returns the layer's updates, whatever the inputs, as from TensorFlow 2.3."""
    return self.updates


def get_losses_for(self: Any, inputs: Any) -> Any:
    """Returns the layer's losses, whatever the inputs, as from TensorFlow 2.3."""
    return self.losses


def experimental_make_numpy_dataset(self: Any, numpy_input: Any, session: Any = None) -> Any:
    """Makes a dataset of the rows of arrays, on the strategy's host."""
    return self.extended.experimental_make_numpy_dataset(numpy_input, session=session)


def _remembered(name: str) -> property:
    """An option that is set and read, and does nothing."""

    def get(options: Any) -> Any:
        return vars(options).get(f"_{name}")

    def put(options: Any, value: Any) -> None:
        # Past the options' own `__setattr__`, which refuses names that they do not know.
        vars(options)[f"_{name}"] = value

    return property(get, put)


autotune = _remembered("autotune")
autotune_algorithm = _remembered("autotune_algorithm")
autotune_buffers = _remembered("autotune_buffers")
autotune_cpu_budget = _remembered("autotune_cpu_budget")
autotune_ram_budget = _remembered("autotune_ram_budget")
filter_with_random_uniform_fusion = _remembered("filter_with_random_uniform_fusion")
hoist_random_uniform = _remembered("hoist_random_uniform")
reorder_data_discarding_ops = _remembered("reorder_data_discarding_ops")


def _is_sharded(options: Any) -> bool:
    return bool(options.auto_shard_policy != tf.data.experimental.AutoShardPolicy.OFF)


def _shard(options: Any, value: bool) -> None:
    policies = tf.data.experimental.AutoShardPolicy
    options.auto_shard_policy = policies.AUTO if value else policies.OFF


auto_shard = property(_is_sharded, _shard)
"""Whether several workers share a dataset's files or elements; a bool in TensorFlow 2.0."""
none_from_structure = staticmethod(lambda value_structure: _optional().empty(value_structure))
value_structure = property(lambda optional: optional.element_spec)


def _optional() -> Any:
    return tf.experimental.Optional


def experimental_run_v2(
    self: Any, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None
) -> Any:
    """Runs a function on each replica; `tf.distribute.Strategy.run` had this name up to 2.1."""
    return self.run(fn, args=args, kwargs=kwargs, options=options)


class MapVectorizationOptions:
    """What there was to say about the vectorization of maps. It is remembered, and does nothing."""

    enabled: bool | None = None
    use_choose_fastest: bool | None = None


def _options_of(options: Any) -> Any:
    # Past the options' own `__setattr__`, which refuses names that they do not know.
    return vars(options).setdefault("_map_vectorization", MapVectorizationOptions())


def _set_options(options: Any, value: Any) -> None:
    # TensorFlow 1.15 and 2.0 had a plain bool there.
    vars(options)["_map_vectorization"] = value


map_vectorization = property(_options_of, _set_options)
"""Takes the place of the attribute of `tf.data.experimental.OptimizationOptions`."""
