# SPDX-License-Identifier: Apache-2.0
"""google/automl: EfficientDet for TensorFlow 2.4, whose own package is called `keras`."""

from __future__ import annotations

from tests.programs.program import Program

_HPARAMS = (
    "image_size=128,num_classes=4,mixed_precision=true,loss_scale=1024,fpn_num_filters=16,"
    "fpn_cell_repeats=1,box_class_repeats=1"
)

PROGRAMS = (
    Program(
        "automl: EfficientDet",
        "github:google/automl@e419394a4719816643d5cf7c9c5c22b108bfbca5",
        "-m keras.train --mode=train --use_fake_data --train_file_pattern={folder}/coco.tfrecord "
        "--model_dir={folder}/model --model_name=efficientdet-d0 --batch_size=2 "
        "--num_examples_per_epoch=2 --num_epochs={steps} --steps_per_execution=1 "
        f"--hparams={_HPARAMS}",
        (
            *("tensorflow-addons==0.23.0", "typeguard<3", "tensorflow-hub", "dm-tree", "attrs"),
            *("neural-structured-learning", "tensorflow-model-optimization", "lxml", "matplotlib"),
            *("contourpy", "cycler", "fonttools", "kiwisolver", "pillow", "python-dateutil"),
            *("pyparsing", "pyyaml", "six", "pycocotools", "scipy", "tensorflow-estimator==2.15.*"),
        ),
        prepare="coco_records",
        starts_in="efficientdet",
        sources=("efficientdet/keras",),
        note="it scales the loss on GPUs only",
    ),
)
