# SPDX-License-Identifier: Apache-2.0
"""fcogidi/X3D-tf: video classification, with `Model.fit` and a wrapped optimizer."""

from __future__ import annotations

from tests.programs.program import Program

_CONFIGURATION = """\
NETWORK:
  C1_CHANNELS: 8
  NUM_CLASSES: 5
  DROPOUT_RATE: 0.5
  MIXED_PRECISION: true
DATA:
  FRAME_RATE: 2
  TEMP_DURATION: 4
  TRAIN_LABEL_PATH: {folder}/videos.txt
  TEST_LABEL_PATH: {folder}/videos.txt
  TRAIN_JITTER_SCALES: [48, 56]
  TRAIN_CROP_SIZE: 32
  TEST_CROP_SIZE: 32
TRAIN:
  DATASET_SIZE: 2
  BATCH_SIZE: 2
  EPOCHS: 2
  MODEL_DIR: {folder}/model
  OPTIMIZER: sgd
  BASE_LR: 0.01
  WARMUP_EPOCHS: 1
  WARMUP_LR: 0.01
TEST:
  NUM_SPATIAL_CROPS: 1
  NUM_TEMPORAL_VIEWS: 1
  DATASET_SIZE: 1
  BATCH_SIZE: 1
WANDB:
  ENABLE: false
"""

PROGRAMS = (
    Program(
        "X3D-tf: X3D",
        "github:fcogidi/X3D-tf@90925bd59f1e7018a9214af50870d4485b434514",
        "{program}/train.py --config_file_path {folder}/x3d.yaml",
        (
            *("yacs", "pyyaml", "decord", "opencv-python-headless", "wandb==0.23.0", "click"),
            *("gitpython", "gitdb", "smmap", "sentry-sdk", "platformdirs", "pydantic"),
            *("pydantic-core", "annotated-types", "typing-inspection", "python-dateutil"),
            *("protobuf<7", "tensorflow-addons==0.23.0", "typeguard<3"),
        ),
        {"x3d.yaml": _CONFIGURATION},
        prepare="x3d_videos",
        shim="tensorflow_addons",
    ),
)
