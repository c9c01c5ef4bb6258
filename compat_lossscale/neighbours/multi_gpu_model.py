# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.utils.multi_gpu_model` of TensorFlow 2.0 to 2.3, which calls a model on parts."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

_FEWEST = 2


def multi_gpu_model(
    model: Any, gpus: int | Sequence[int], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """Returns a model that splits each batch, calls the model on the parts, and joins the results.

    Args:
        model: A functional model or a `Sequential`.
        gpus: How many GPUs, at least 2, or the numbers of the GPUs.
        cpu_merge: Whether the results are joined on the CPU, or else on the first of the GPUs.
        cpu_relocation: Whether a copy of the model is called, with weights of its own on the CPU.

    Raises:
        ValueError: There are fewer than two GPUs, or one of them is not available.

    Source: TensorFlow 2.3.
    """
    count = gpus if isinstance(gpus, int) else len(gpus)
    if count < _FEWEST:
        raise ValueError(
            f"multi_gpu_model needs at least two GPUs, and `gpus` is {gpus!r}. Train the model "
            "itself on one."
        )
    numbers = range(gpus) if isinstance(gpus, int) else gpus
    devices = [f"/gpu:{number}" for number in numbers]
    available = [_short_name(device.name) for device in tf.config.list_logical_devices()]
    missing = [device for device in devices if device not in available]
    if missing:
        raise ValueError(
            f"multi_gpu_model with gpus={gpus!r} needs {', '.join(missing)}, and this machine has "
            f"{', '.join(available)}. Use fewer GPUs, or train the model itself."
        )
    keras = importlib.import_module("tf_keras")
    if cpu_relocation:
        with tf.device("/cpu:0"):
            model = keras.models.clone_model(model)
    results: list[list[Any]] = []
    for index, (number, device) in enumerate(zip(numbers, devices, strict=True)):
        with tf.device(device), keras.backend.name_scope(f"replica_{number}"):
            parts = [
                keras.layers.Lambda(
                    _part,
                    output_shape=tuple(one.shape.as_list())[1:],
                    arguments={"index": index, "count": count},
                )(one)
                for one in model.inputs
            ]
            outputs = model(parts)
            results.append(outputs if isinstance(outputs, list) else [outputs])
    with tf.device("/cpu:0" if cpu_merge else devices[0]):
        merged = [
            keras.layers.concatenate(list(outputs), axis=0, name=name)
            for name, outputs in zip(
                _distinct(model.output_names), zip(*results, strict=True), strict=True
            )
        ]
        return keras.Model(model.inputs, merged)


def _part(data: Any, index: int, count: int) -> Any:
    """Returns one of equal parts of a batch; the last has the rows that are left over as well."""
    size = tf.shape(data)[0] // count
    return data[index * size :] if index == count - 1 else data[index * size : (index + 1) * size]


def _short_name(device: str) -> str:
    """Returns `/gpu:0` for `/device:GPU:0` and `/job:localhost/replica:0/task:0/device:GPU:0`."""
    return "/" + ":".join(device.lower().split(":")[-2:])


def _distinct(names: Sequence[str]) -> Iterator[str]:
    """Numbers the names that occur more than once."""
    totals, seen = collections.Counter(names), collections.Counter[str]()
    for name in names:
        seen[name] += 1
        yield f"{name}_{seen[name]}" if totals[name] > 1 else name
