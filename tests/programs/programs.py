# SPDX-License-Identifier: Apache-2.0
"""Published programs that train with loss scaling, and how each is started. Plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

GITHUB = "github:"
"""What the distribution of a program begins with that is in no package index."""
_WORDS = [f"w{number}" for number in range(20)]
_LINES = [" ".join(_WORDS[(start + step) % 20] for step in range(4)) for start in range(200)]
_REVERSED = [" ".join(reversed(line.split())) for line in _LINES]
_OPENNMT = """\
model_dir: {folder}/model
data:
  train_features_file: {folder}/source.txt
  train_labels_file: {folder}/target.txt
  source_vocabulary: {folder}/vocabulary.txt
  target_vocabulary: {folder}/vocabulary.txt
train:
  batch_size: 16
  batch_type: examples
  effective_batch_size: null
  max_step: {steps}
params:
  optimizer: Adam
  learning_rate: 0.001
"""
_TINY = "num_units=16, num_heads=2, ffn_inner_dim=32, num_layers=1"
_OPENNMT_MODEL = f"""\
import opennmt

def model():
    embedder = opennmt.inputters.WordEmbedder
    return opennmt.models.Transformer(
        embedder(embedding_size=16), embedder(embedding_size=16), {_TINY})
"""
_OPENNMT_FILES = {
    "source.txt": "\n".join(_LINES),
    "target.txt": "\n".join(_REVERSED),
    "vocabulary.txt": "\n".join(["<blank>", "<s>", "</s>", *_WORDS]),
    "data.yml": _OPENNMT,
    "tiny.py": _OPENNMT_MODEL,
}
_OPENNMT_COMMAND = (
    "-m opennmt.bin.main --model {folder}/tiny.py --config {folder}/data.yml "
    "--mixed_precision train"
)
_RESNET_COMMAND = (
    "-m official.vision.image_classification.resnet.resnet_ctl_imagenet_main --use_synthetic_data "
    "--dtype=fp16 --loss_scale=dynamic --batch_size=2 --train_steps={steps} "
    "--train_epochs=1 --skip_eval --steps_per_loop=1 --log_steps=1 --num_gpus=0 "
    "--distribution_strategy=off --enable_checkpoint_and_export --data_format=channels_last "
    "--model_dir={folder}/model"
)
_TRANSFORMER_COMMAND = (
    "-m official.nlp.transformer.transformer_main --use_synthetic_data --param_set=tiny "
    "--dtype=fp16 --train_steps={steps} --steps_between_evals={steps} --batch_size=128 "
    "--max_length=16 --static_batch --use_ctl=false --num_gpus=0 --distribution_strategy=off "
    "--enable_checkpointing --data_dir={folder} --vocab_file={folder}/vocabulary "
    "--model_dir={folder}/model"
)
_VOCABULARY = {"vocabulary": "'<pad>'\n'<EOS>'\n'a_'\n'b_'\n"}
_OPENNMT_NEEDS = ("pyonmttok", "ctranslate2", "rouge", "sacrebleu<1.6", "portalocker", "pyyaml")
_MODELS_NEED = (
    *("absl-py<2", "gin-config", "psutil", "py-cpuinfo", "tensorflow-hub", "tf-slim", "six"),
    *("tensorflow-model-optimization", "dm-tree", "tensorflow-addons==0.23.0", "typeguard<3"),
    "tensorflow-estimator==2.15.*",
)


@dataclasses.dataclass(frozen=True)
class Program:
    """A published program.

    Attributes:
        name: What it is called here.
        distribution: The distribution that it comes in, with its version; or the repository on
            GitHub, as `github:owner/name@commit`.
        command: What comes after `compat-lossscale run`; `{folder}` is a folder of its own,
            `{program}` where the program is installed, and `{steps}` how many steps to have
            trained at the end.
        needs: What else to install; TensorFlow and tf-keras are there.
        files: What to put into that folder first.
        prepare: Python code that makes its data in that folder.
        sources: Its own sources, below where it is installed.
        model: Where it saves checkpoints, below its folder.
        added: How many steps the second run trains.
        migrated: The package to migrate and run without the shim; empty where a third party's
            neighbour is in the way of that.
        note: What to know of the result.
    """

    name: str
    distribution: str
    command: str
    needs: tuple[str, ...]
    files: Mapping[str, str]
    prepare: str = ""
    sources: str = "."
    model: str = "model"
    added: int = 2
    migrated: str = ""
    note: str = ""


PROGRAMS = (
    *(
        Program(
            f"OpenNMT-tf {version}: Transformer",
            f"OpenNMT-tf=={version}",
            _OPENNMT_COMMAND,
            (*_OPENNMT_NEEDS, "tensorflow-addons==0.23.0", "typeguard<3", "tensorboard"),
            _OPENNMT_FILES,
            sources="opennmt",
        )
        for version in ("2.8.1", "2.15.0")
    ),
    *(
        Program(
            f"tf-models {version}: ResNet-50",
            f"tf-models-official=={version}",
            _RESNET_COMMAND,
            _MODELS_NEED,
            {},
            sources="official/vision/image_classification",
        )
        for version in ("2.2.2", "2.3.0", "2.4.0")
    ),
    *(
        Program(
            f"tf-models {version}: Transformer",
            f"tf-models-official=={version}",
            _TRANSFORMER_COMMAND,
            _MODELS_NEED,
            _VOCABULARY,
            sources="official/nlp",
            added=2 if version >= "2.4" else 1,
            note="" if version >= "2.4" else "it counts one step too many, and so trains one less",
        )
        for version in ("2.2.2", "2.3.0", "2.4.0")
    ),
)
