# SPDX-License-Identifier: Apache-2.0
"""fcogidi/X3D-tf: video classification, with `Model.fit` and a wrapped optimizer."""

from __future__ import annotations

from tests.programs.program import Program

_CONFIGURATION = """\
NETWORK:
  WIDTH_FACTOR: 1.0
  DEPTH_FACTOR: 1.0
  BOTTLENECK_WIDTH_FACTOR: 1.0
  C1_CHANNELS: 8
  NUM_CLASSES: 5
  DROPOUT_RATE: 0.5
DATA:
  FRAME_RATE: 2
  TEMP_DURATION: 4
  TRAIN_JITTER_SCALES: [48, 56]
  TRAIN_CROP_SIZE: 32
  TEST_CROP_SIZE: 32
TRAIN:
  DATASET_SIZE: 2
  BATCH_SIZE: 2
  EPOCHS: {steps}
  OPTIMIZER: sgd
  BASE_LR: 0.01
  WARMUP_EPOCHS: 1
  WARMUP_LR: 0.01
  MOMENTUM: 0.9
WANDB:
  ENABLE: true
  MODE: offline
  TENSORBOARD: false
"""

PROGRAMS = (
    Program(
        "X3D-tf: X3D",
        "github:fcogidi/X3D-tf@f6f0be5de1e8e0c30b3da49f65b3c18f65d764db",
        "{program}/train.py --config {folder}/x3d.yaml --train_label_file {folder}/videos.txt "
        "--model_dir {folder}/model --num_gpus 0 --mixed_precision",
        (
            *("yacs", "pyyaml", "decord", "opencv-python-headless", "wandb==0.23.0", "click"),
            *("gitpython", "gitdb", "smmap", "sentry-sdk", "platformdirs", "pydantic"),
            *("pydantic-core", "annotated-types", "typing-inspection", "python-dateutil"),
            "protobuf<7",
        ),
        {"x3d.yaml": _CONFIGURATION},
        prepare="x3d_videos",
        migrated=("train.py", "configs", "dataloader.py", "model.py", "transforms.py", "utils.py"),
    ),
)
