# SPDX-License-Identifier: Apache-2.0
"""mlcommons/training: MLPerf's ResNet for TensorFlow 2, with an optimizer of its own (LARS)."""

from __future__ import annotations

from tests.programs.program import Program

_PLACE = "retired_benchmarks/resnet-tf2/tensorflow2"


def _program(optimizer: str) -> Program:
    return Program(
        f"MLPerf training: ResNet-50, {optimizer}",
        "github:mlcommons/training@aa344c7fb900e82ed19fb94aebfed50c63ab2204",
        f"{{program}}/{_PLACE}/resnet_ctl_imagenet_main.py --use_synthetic_data --dtype=fp16 "
        f"--loss_scale=dynamic --optimizer={optimizer} --batch_size=2 --train_steps={{steps}} "
        "--train_epochs=1 --skip_eval --steps_per_loop=1 --log_steps=1 --num_gpus=1 "
        "--distribution_strategy=off --enable_checkpoint_and_export --data_format=channels_last "
        "--num_accumulation_steps=1 --model_dir={folder}/model",
        (
            "absl-py<2",
            "mlperf-logging",
            "six",
            "requests",
            "psutil",
            "py-cpuinfo",
            "tensorflow-estimator==2.15.*",
        ),
        sources=(_PLACE,),
        shim="tf.estimator, for its hooks",
    )


PROGRAMS = tuple(_program(name) for name in ("SGD", "LARS"))
