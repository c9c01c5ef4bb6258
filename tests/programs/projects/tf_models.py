# SPDX-License-Identifier: Apache-2.0
"""The TensorFlow Model Garden, `official`: what most users of the old API started from."""

from __future__ import annotations

from tests.programs.program import Program

_RESNET = (
    "-m official.vision.image_classification.resnet.resnet_ctl_imagenet_main --use_synthetic_data "
    "--dtype=fp16 --loss_scale=dynamic --batch_size=2 --train_steps={steps} "
    "--train_epochs=1 --skip_eval --steps_per_loop=1 --log_steps=1 --num_gpus=0 "
    "--distribution_strategy=off --enable_checkpoint_and_export --data_format=channels_last "
    "--model_dir={folder}/model"
)
_TRANSFORMER = (
    "-m official.nlp.transformer.transformer_main --use_synthetic_data --param_set=tiny "
    "--dtype=fp16 --train_steps={steps} --steps_between_evals={steps} --batch_size=128 "
    "--max_length=16 --static_batch --use_ctl=false --num_gpus=0 --distribution_strategy=off "
    "--enable_checkpointing --data_dir={folder} --vocab_file={folder}/vocabulary "
    "--model_dir={folder}/model"
)
_VOCABULARY = {"vocabulary": "'<pad>'\n'<EOS>'\n'a_'\n'b_'\n"}
_NEEDS = (
    *("absl-py<2", "gin-config", "psutil", "py-cpuinfo", "tensorflow-hub", "tf-slim", "six"),
    *("tensorflow-model-optimization", "dm-tree", "tensorflow-addons==0.23.0", "typeguard<3"),
    "tensorflow-estimator==2.15.*",
)
_VERSIONS = ("2.2.2", "2.3.0", "2.4.0")

PROGRAMS = (
    *(
        Program(
            f"tf-models {version}: ResNet-50",
            f"tf-models-official=={version}",
            _RESNET,
            _NEEDS,
            sources=("official/vision/image_classification",),
        )
        for version in _VERSIONS
    ),
    *(
        Program(
            f"tf-models {version}: Transformer",
            f"tf-models-official=={version}",
            _TRANSFORMER,
            _NEEDS,
            _VOCABULARY,
            sources=("official/nlp",),
            added=2 if version >= "2.4" else 1,
            note="" if version >= "2.4" else "it counts one step too many, and so trains one less",
        )
        for version in _VERSIONS
    ),
)
