# SPDX-License-Identifier: Apache-2.0
"""Records how the loss scales of other systems move.

    python -m tests.goldens.rules.record SYSTEM [SOURCE VERSION]

Run it with an interpreter that has the system: `torch`, `jmp`, `flax`, `tf-keras` or `keras3`. For
`deepspeed`, `deepspeed-without-zero`, `megatron`, `fairseq` and `apex`, torch is enough (fairseq
needs nothing). SOURCE is then the file of the class, from the project's released source, because
the packages as a whole need a GPU. Stand-ins replace what the file imports of its package, and the
class runs as it is. The result is `SYSTEM.json` beside this file.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from tests.goldens.rules.steps import changes, random_steps

HERE = Path(__file__).parent
Step = Callable[[bool], float]
"""Takes a step, finite or not, and returns the loss scale after it."""


def torch(initial: float, **settings: Any) -> Step:
    """`torch.amp.GradScaler`'s update, on the CPU."""
    import torch  # only here

    scaler = torch.amp.GradScaler("cpu", init_scale=initial, **settings)
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.0)
    scaler.scale(torch.zeros(1))

    def step(finite: bool) -> float:
        parameter.grad = torch.tensor([0.0 if finite else float("inf")])
        scaler.step(optimizer)
        scaler.update()
        return float(scaler.get_scale())

    return step


def deepspeed(initial: float, **settings: Any) -> Step:
    """`DynamicLossScaler` of `deepspeed/runtime/fp16/loss_scaler.py`."""
    import torch  # noqa: F401  # before the stand-ins come and go

    module = load_source(
        {
            "deepspeed": {"comm": mock.MagicMock(get_rank=lambda: 0)},
            "deepspeed.runtime": {},
            "deepspeed.runtime.config_utils": {"DeepSpeedConfigObject": object},
            "deepspeed.runtime.utils": {"has_inf_or_nan": None},
            "deepspeed.utils": {"logger": mock.MagicMock(), "log_dist": mock.MagicMock()},
            "deepspeed.runtime.fp16": {},
        }
    )
    scaler = module.DynamicLossScaler(init_scale=initial, **settings)

    def step(finite: bool) -> float:
        scaler.update_scale(not finite)
        return float(scaler.cur_scale)

    return step


def deepspeed_without_zero(initial: float, **settings: Any) -> Step:
    """`FP16_Optimizer` of `deepspeed/runtime/fp16/fused_optimizer.py`, with a rule of its own."""
    import torch  # noqa: F401  # before the stand-ins come and go

    names = {
        "runtime.base_optimizer": "DeepSpeedOptimizer",
        "runtime.utils": "CheckOverflow get_flattened_grad_norm get_global_norm "
        "get_norm_with_moe_layers get_weight_norm is_invalid_grad_norm is_model_parallel_parameter "
        "is_optimized_parameter",
        "runtime.fp16.loss_scaler": "LossScaleConfig LossScaleProfile",
        "runtime.constants": "PIPE_REPLICATED",
        "utils": "logger",
        "utils.torch": "required_torch_version",
        "utils.bwc": "bwc_tensor_model_parallel_rank",
        "checkpoint.constants": "OPTIMIZER_STATE_DICT CLIP_GRAD",
        "accelerator": "get_accelerator",
        "moe.utils": "is_moe_param_group",
    }
    stand_ins: dict[str, dict[str, Any]] = {
        f"deepspeed.{module}": dict.fromkeys(members.split(), object)
        for module, members in names.items()
    }
    packages: dict[str, dict[str, Any]] = {
        name: {} for name in ("deepspeed", "deepspeed.runtime", "deepspeed.runtime.fp16")
    }
    cls = load_source({**packages, **stand_ins}).FP16_Optimizer
    config = types.SimpleNamespace(
        dynamic_loss_scale=True, cur_scale=initial, cur_iter=0, last_overflow_iter=-1, **settings
    )
    optimizer = types.SimpleNamespace(loss_scale_config=config, verbose=False)

    def step(finite: bool) -> float:
        cls._update_scale(optimizer, not finite)
        return float(config.cur_scale)

    return step


def megatron(initial: float, **settings: Any) -> Step:
    """`DynamicGradScaler` of `megatron/core/optimizer/grad_scaler.py`, with tensors on the CPU."""
    import torch  # only here

    module = load_source({})
    original = torch.tensor

    def on_cpu(values: Any, dtype: Any, device: str) -> Any:
        del device
        return original(values, dtype=dtype)

    with mock.patch.object(torch, "tensor", on_cpu):
        scaler = module.DynamicGradScaler(initial_scale=initial, **settings)

    def step(finite: bool) -> float:
        scaler.update(not finite)
        return float(scaler._scale)

    return step


def apex(initial: float, **settings: Any) -> Step:
    """`LossScaler` of `apex/amp/scaler.py`, which Apex had until May 2025."""
    import torch  # only here

    applier = mock.MagicMock(available=False, import_err="none")
    with mock.patch.object(torch.cuda, "IntTensor", torch.IntTensor, create=True):
        module = load_source(
            {
                "apex": {},
                "apex.multi_tensor_apply": {"multi_tensor_applier": applier},
                "apex.amp": {},
                "apex.amp._amp_state": {
                    "_amp_state": None,
                    "master_params": None,
                    "maybe_print": print,
                },
            },
            package="apex.amp",
        )
        scaler = module.LossScaler("dynamic", init_scale=initial, **settings)

    def step(finite: bool) -> float:
        scaler._has_overflow = not finite
        scaler.update_scale()
        return float(scaler._loss_scale)

    return step


def fairseq(initial: float, **settings: Any) -> Step:
    """`DynamicLossScaler` of `fairseq/optim/dynamic_loss_scaler.py`."""
    scaler = load_source({}).DynamicLossScaler(init_scale=initial, **settings)

    def step(finite: bool) -> float:
        if finite:
            scaler.update()
        else:
            with contextlib.suppress(OverflowError):
                scaler.check_overflow(float("inf"))
        return float(scaler.loss_scale)

    return step


def jmp(initial: float, **settings: Any) -> Step:
    """`jmp.DynamicLossScale.adjust`."""
    import jax  # only here
    import jmp  # only here

    scaler = jmp.DynamicLossScale(jax.numpy.float32(initial), **settings)

    def step(finite: bool) -> float:
        nonlocal scaler
        scaler = scaler.adjust(jax.numpy.array(finite))
        return float(scaler.loss_scale)

    return step


def flax(initial: float, **settings: Any) -> Step:
    """`flax.training.dynamic_scale.DynamicScale`."""
    import jax  # only here
    from flax.training.dynamic_scale import DynamicScale  # only here

    @jax.jit
    def move(scaler: Any, factor: Any) -> Any:
        return scaler.value_and_grad(lambda x: x * factor)(jax.numpy.float32(1))[0]

    scaler = DynamicScale(scale=jax.numpy.float32(initial), **settings)

    def step(finite: bool) -> float:
        nonlocal scaler
        scaler = move(scaler, jax.numpy.float32(0.0 if finite else float("nan")))
        return float(scaler.scale)

    return step


def tf_keras(initial: float, **settings: Any) -> Step:
    """`tf_keras.mixed_precision.LossScaleOptimizer`, in a function."""
    import tensorflow as tf  # only here
    import tf_keras  # only here

    optimizer = tf_keras.mixed_precision.LossScaleOptimizer(
        tf_keras.optimizers.SGD(0.0), initial_scale=initial, **settings
    )
    variable = tf.Variable(0.0)
    optimizer.get_scaled_loss(tf.constant(0.0))
    optimizer.get_unscaled_gradients([tf.constant(0.0)])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def move(gradient: tf.Tensor) -> tf.Tensor:
        optimizer.apply_gradients([(gradient, variable)])
        return optimizer.loss_scale

    return lambda finite: float(move(tf.constant(0.0 if finite else float("inf"))))


def keras3(initial: float, **settings: Any) -> Step:
    """`keras.optimizers.LossScaleOptimizer`, on the backend in use."""
    import keras  # only here
    import tensorflow as tf  # only here

    optimizer = keras.optimizers.LossScaleOptimizer(
        keras.optimizers.SGD(0.0), initial_scale=initial, **settings
    )
    variable = keras.Variable(0.0)
    optimizer.build([variable])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def move(gradient: tf.Tensor) -> tf.Tensor:
        optimizer.apply([gradient], [variable])
        return tf.convert_to_tensor(optimizer.dynamic_scale.value)

    return lambda finite: float(move(tf.constant(0.0 if finite else float("inf"))))


SYSTEMS: dict[str, tuple[Callable[..., Step], str, list[dict[str, Any]]]] = {
    "torch": (
        torch,
        "torch",
        [
            {"initial": 2.0**16, "growth_interval": 2},
            {"initial": 8.0, "growth_interval": 3, "growth_factor": 4.0, "backoff_factor": 0.5},
        ],
    ),
    "deepspeed": (
        deepspeed,
        "deepspeed",
        [
            {
                "initial": 2.0**16,
                "scale_window": 30 if consecutive else 10,
                "min_scale": 1.0,
                "delayed_shift": shift,
                "consecutive_hysteresis": consecutive,
                "raise_error_at_min_scale": False,
            }
            for shift, consecutive in ((1, False), (2, False), (3, True))
        ],
    ),
    "deepspeed-without-zero": (
        deepspeed_without_zero,
        "deepspeed",
        [
            {"initial": 2.0**16, "scale_window": 10, "min_loss_scale": 1.0, "scale_factor": 2.0},
            {"initial": 2.0**16, "scale_window": 20, "min_loss_scale": 0.25, "scale_factor": 2.0},
        ],
    ),
    "megatron": (
        megatron,
        "megatron-core",
        [
            {
                "initial": 2.0**16,
                "min_scale": floor,
                "growth_factor": 2.0,
                "backoff_factor": backoff,
                "growth_interval": 10,
                "hysteresis": hysteresis,
            }
            for floor, backoff, hysteresis in ((1.0, 0.5, 2), (128.0, 0.25, 4), (1.0, 0.5, 1))
        ],
    ),
    "apex": (
        apex,
        "apex",
        [
            {"initial": 2.0**16, "scale_window": 1},
            {"initial": 2.0**16, "scale_window": 5, "min_loss_scale": 64.0},
            {"initial": 4.0, "scale_window": 3, "min_loss_scale": 3.0, "max_loss_scale": 1000.0},
        ],
    ),
    "fairseq": (
        fairseq,
        "fairseq",
        [{"initial": 2.0**15, "scale_window": 8, "threshold": 1.0, "min_loss_scale": 0.0}],
    ),
    "jmp": (
        jmp,
        "jmp",
        [
            {"initial": 2.0**15, "period": 9, "min_loss_scale": 4.0},
            {"initial": 2.0**15, "period": 2, "min_loss_scale": 1.0, "factor": 4},
        ],
    ),
    "flax": (
        flax,
        "flax",
        [
            {"initial": 2.0**16, "growth_interval": 9, "minimum_scale": 0.5},
            {"initial": 2.0**16, "growth_interval": 1, "minimum_scale": 0.5, "growth_factor": 4.0},
        ],
    ),
    "tf-keras": (tf_keras, "tf-keras", [{"initial": 2.0**15, "dynamic_growth_steps": 11}]),
    "keras3": (keras3, "keras", [{"initial": 2.0**15, "dynamic_growth_steps": 3}]),
}


def load_source(stand_ins: dict[str, dict[str, Any]], package: str = "") -> Any:
    """Runs the source file that the command line names."""
    made = {}
    for name, members in stand_ins.items():
        made[name] = types.ModuleType(name)
        made[name].__path__ = []  # type: ignore[attr-defined]  # so that it is a package
        vars(made[name]).update(members)
    name = f"{package}.recorded" if package else "recorded"
    spec = importlib.util.spec_from_file_location(name, sys.argv[2])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, made):
        spec.loader.exec_module(module)
    return module


def main() -> None:
    """Runs from the command line."""
    system = sys.argv[1]
    make, distribution, cases = SYSTEMS[system]
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        version = sys.argv[3]
    runs = []
    for seed, settings in enumerate(cases):
        step = make(**settings)
        scales = [step(finite) for finite in random_steps(seed)]
        recorded = changes(scales, settings["initial"])
        runs.append({"seed": seed, "settings": settings, "changes": recorded})
        print(system, seed, f"{len(recorded)} changes, {min(scales)} to {max(scales)}")
    text = json.dumps({"system": distribution, "version": version, "runs": runs})
    (HERE / f"{system}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
