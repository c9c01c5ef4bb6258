# SPDX-License-Identifier: Apache-2.0
"""srihari-humbarwadi/retinanet-tensorflow2.x: object detection, with a training loop of its own."""

from __future__ import annotations

import json

from tests.programs.program import Program

_CONFIGURATION = {
    "experiment": {
        "name": "noise",
        "run_mode": "train",
        "model_dir": "{folder}",
        "tensorboard_dir": "{folder}/tensorboard",
    },
    "input": {"input_shape": [128, 128], "channels": 3},
    "floatx": {"precision": "mixed_float16"},
    "architecture": {
        "conv_2d": {"use_seperable_conv": False, "use_bias_before_bn": False},
        "batch_norm": {"use_sync": False, "momentum": 0.99, "epsilon": 0.001},
        "activation": {"type": "relu"},
        "backbone": {"type": "resnet", "depth": 50, "checkpoint": ""},
        "feature_fusion": {
            "type": "fpn",
            "use_balanced_features": False,
            "use_residual_connections": False,
            "fusion_mode": "sum",
            "filters": 16,
            "min_level": 3,
            "max_level": 7,
            "backbone_max_level": 5,
        },
        "head": {"num_convs": 1, "filters": 16, "num_classes": 3, "num_anchors": 9},
        "auxillary_head": {"use_auxillary_head": False, "num_convs": 1, "filters": 16},
    },
    "loss": {
        "focal_loss": {"alpha": 0.25, "gamma": 1.5, "label_smoothing": 0.0},
        "smooth_l1_loss": {"delta": 0.1},
        "normalizer": {"use_moving_average": False, "momentum": 0.99},
        "class_loss_weight": 1.0,
        "box_loss_weight": 50.0,
        "auxillary_loss_weight": 0.0,
    },
    "training": {
        "use_weight_decay": True,
        "weight_decay_alpha": 0.0001,
        "batch_size": {"train": 2, "val": 2},
        "strategy": {"type": "cpu", "name": ""},
        "restore_checkpoint": True,
        "freeze_variables": [],
        "train_steps": 0,
        "validation_samples": 2,
        "validation_freq": -1,
        "annotation_file_path": "",
        "remap_class_ids": True,
        "steps_per_execution": 1,
        "save_every": 2,
        "recovery": {
            "use_inflection_detector": False,
            "metric_key": "l2-regularization",
            "threshold": 0.05,
            "max_trials": 10,
        },
        "optimizer": {
            "name": "sgd",
            "momentum": 0.9,
            "nesterov": False,
            "clipnorm": 10.0,
            "use_moving_average": False,
            "moving_average_decay": 0.9998,
            "lr_params": {
                "schedule_type": "cosine_decay",
                "initial_learning_rate": 0.01,
                "warmup_learning_rate": 0.001,
                "alpha": 0.0001,
                "warmup_steps": 1,
            },
        },
    },
    "fine_tuning": {"fine_tune": False, "pretrained_checkpoint": ""},
    "anchor_params": {
        "areas": [1024.0, 4096.0, 16384.0, 65536.0, 262144.0],
        "aspect_ratios": [0.5, 1.0, 2.0],
        "scales": [1, 1.25, 1.5],
    },
    "encoder_params": {
        "match_iou": 0.5,
        "ignore_iou": 0.5,
        "box_variance": [0.1, 0.1, 0.2, 0.2],
        "scale_box_targets": False,
    },
    "dataloader_params": {
        "tfrecords": {"train": "{folder}/retinanet.tfrecord", "val": ""},
        "augmentations": {
            "use_augmentation": True,
            "horizontal_flip": True,
            "scale_jitter": {"min_scale": 0.8, "max_scale": 1.2},
        },
        "preprocessing": {
            "mean": [0.485, 0.456, 0.406],
            "stddev": [0.229, 0.224, 0.225],
            "pixel_scale": 255.0,
        },
        "shuffle_buffer_size": 8,
    },
    "inference": {
        "mode": "PerClassHardNMS",
        "iou_threshold": 0.5,
        "score_threshold": 0.05,
        "soft_nms_sigma": 0.5,
        "pre_nms_top_k": 5000,
        "filter_per_class": True,
        "max_detections": 100,
    },
}

PROGRAMS = (
    Program(
        "retinanet-tensorflow2.x: ResNet-50",
        "github:srihari-humbarwadi/retinanet-tensorflow2.x@0df3de07405cc8b10f209fcfdb51b76236595180",
        "-m retinanet --config_path {folder}/noise.json --log_dir {folder}/logs",
        (
            *("easydict", "matplotlib", "contourpy", "cycler", "fonttools", "kiwisolver"),
            *("pillow", "python-dateutil", "pyparsing", "opencv-python-headless", "pycocotools"),
            "tqdm",
        ),
        {
            "noise.json": json.dumps(_CONFIGURATION, indent=2).replace(
                '"train_steps": 0', '"train_steps": {steps}'
            )
        },
        prepare="coco_records",
        sources=("retinanet",),
        model="noise",
        migrated=("retinanet",),
        augments=True,
    ),
)
