# SPDX-License-Identifier: Apache-2.0
"""The TensorFlow Model Garden, `official`: what most users of the old API started from."""

from __future__ import annotations

import json

from tests.programs.program import Program

_RESNET = (
    "-m official.vision.image_classification.resnet.resnet_ctl_imagenet_main --use_synthetic_data "
    "--dtype=fp16 --loss_scale=dynamic --batch_size=2 --train_steps={steps} "
    "--train_epochs=1 --skip_eval --steps_per_loop=1 --log_steps=1 --num_gpus=0 "
    "--distribution_strategy=off --enable_checkpoint_and_export --data_format=channels_last "
    "--model_dir={folder}/model"
)
_POLICY = {
    "official/modeling/performance.py": (
        "experimental.Policy(\n        'mixed_float16', loss_scale=loss_scale)",
        "Policy('mixed_float16')",
    )
}
_TRANSFORMER = (
    "-m official.nlp.transformer.transformer_main --use_synthetic_data --param_set=tiny "
    "--dtype=fp16 --train_steps={steps} --steps_between_evals={steps} --batch_size=128 "
    "--max_length=16 --static_batch --use_ctl=false --num_gpus=0 --distribution_strategy=off "
    "--enable_checkpointing --data_dir={folder} --vocab_file={folder}/vocabulary "
    "--model_dir={folder}/model"
)
_BERT = (
    "-m official.nlp.bert.run_pretraining --input_files={folder}/texts.tfrecord "
    "--model_dir={folder}/model --bert_config_file={folder}/bert.json --max_seq_length=16 "
    "--max_predictions_per_seq=2 --train_batch_size=2 --num_steps_per_epoch=2 "
    "--num_train_epochs={epochs} --steps_per_loop=1 --warmup_steps=1 --learning_rate=1e-3 "
    "--dtype=fp16 --loss_scale=dynamic --num_gpus=0 --distribution_strategy=one_device"
)
_BERT_SIZES = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 16,
    "initializer_range": 0.02,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "type_vocab_size": 2,
    "vocab_size": 100,
}
_EXPERIMENT = """\
runtime:
  distribution_strategy: one_device
  mixed_precision_dtype: float16
  loss_scale: dynamic
  num_gpus: 0
task:
  model:
    num_classes: 10
    input_size: [32, 32, 3]
    backbone: {type: resnet, resnet: {model_id: 18}}
  train_data:
    input_path: {folder}/pictures.tfrecord
    global_batch_size: 2
    dtype: float16
    shuffle_buffer_size: 8
trainer:
  train_steps: {steps}
  steps_per_loop: 1
  summary_interval: 1
  checkpoint_interval: 2
"""
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
            sources=("official",),
            by_hand=_POLICY if version >= "2.3" else {},
            prints_times=True,
            shim="" if version >= "2.3" else "tensorflow_addons",
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
            sources=("official",),
            shim="" if version >= "2.3" else "tensorflow_addons",
            added=2 if version >= "2.4" else 1,
            note="" if version >= "2.4" else "it counts one step too many, and so trains one less",
        )
        for version in _VERSIONS
    ),
    *(
        Program(
            f"tf-models {version}: BERT, pretraining",
            f"tf-models-official=={version}",
            _BERT,
            _NEEDS,
            {"bert.json": json.dumps(_BERT_SIZES)},
            prepare="bert_records",
            sources=("official/nlp",),
            shim="tensorflow_addons, which imports keras.src.engine",
            steps=2,
        )
        # That of 2.2.2 stops under TensorFlow 2.2 too: it multiplies float16 by float32.
        for version in _VERSIONS[1:]
    ),
    Program(
        "tf-models 2.5.0: ResNet-18, as an experiment",
        "tf-models-official==2.5.0",
        "-m official.vision.beta.train --experiment=resnet_imagenet --mode=train "
        "--model_dir={folder}/model --config_file={folder}/experiment.yaml",
        (
            *(*_NEEDS, "pyyaml", "opencv-python-headless", "pycocotools", "tensorflow-text"),
            *("tensorflow-datasets==4.9.2", "promise", "tensorflow-metadata", "etils", "toml"),
            *("googleapis-common-protos", "importlib-resources", "fsspec", "zipp", "tqdm"),
            *("array-record", "click", "attrs", "sentencepiece", "scipy", "scikit-learn", "joblib"),
            *("threadpoolctl", "cloudpickle", "narwhals", "seqeval", "sacrebleu", "portalocker"),
            *("tabulate", "colorama", "lxml"),
        ),
        {"experiment.yaml": _EXPERIMENT},
        prepare="imagenet_records",
        sources=("official/vision/beta", "official/core"),
        shim="tensorflow_addons",
    ),
)
