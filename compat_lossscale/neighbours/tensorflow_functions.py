# SPDX-License-Identifier: Apache-2.0
"""What removed methods of TensorFlow did. Imported when TensorFlow is patched."""

from __future__ import annotations

from typing import Any


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
