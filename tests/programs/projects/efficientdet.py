# SPDX-License-Identifier: Apache-2.0
"""google/automl: EfficientDet, as it was for TensorFlow 2.4 and as it is."""

from __future__ import annotations

from tests.programs.program import Program

_HPARAMS = (
    "image_size=128,num_classes=4,mixed_precision=true,loss_scale=1024,fpn_num_filters=16,"
    "fpn_cell_repeats=1,box_class_repeats=1"
)
_NEEDS = (
    *("tensorflow-addons==0.23.0", "typeguard<3", "tensorflow-hub", "neural-structured-learning"),
    *("tensorflow-model-optimization", "dm-tree", "attrs", "lxml", "matplotlib", "contourpy"),
    *("cycler", "fonttools", "kiwisolver", "pillow", "python-dateutil", "pyparsing", "pyyaml"),
    *("six", "pycocotools", "scipy"),
)


def _program(year: str, commit: str, place: str) -> Program:
    return Program(
        f"automl {year}: EfficientDet",
        f"github:google/automl@{commit}",
        f"-m {place}.train --mode=train --use_fake_data "
        "--train_file_pattern={folder}/coco.tfrecord --model_dir={folder}/model "
        "--model_name=efficientdet-d0 --batch_size=2 --num_examples_per_epoch=2 "
        f"--num_epochs={{steps}} --steps_per_execution=1 --hparams={_HPARAMS}",
        _NEEDS,
        starts_in="efficientdet",
        prepare="coco_records",
        sources=(f"efficientdet/{place}",),
        shim="tensorflow_addons",
    )


PROGRAMS = (
    _program("2020", "e419394a4719816643d5cf7c9c5c22b108bfbca5", "keras"),
    _program("2025", "6a54c8741e7c3265d4547c4f35f47a0391122dc5", "tf2"),
)
