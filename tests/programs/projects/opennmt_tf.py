# SPDX-License-Identifier: Apache-2.0
"""OpenNMT-tf: translation, with a trainer and checkpoints of its own."""

from __future__ import annotations

from tests.programs.program import Program

_WORDS = [f"w{number}" for number in range(20)]
_LINES = [" ".join(_WORDS[(start + step) % 20] for step in range(4)) for start in range(200)]
_REVERSED = [" ".join(reversed(line.split())) for line in _LINES]
_CONFIGURATION = """\
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
  sample_buffer_size: 0
  max_step: {steps}
params:
  optimizer: Adam
  learning_rate: 0.001
"""
_SIZES = "num_units=16, num_heads=2, ffn_inner_dim=32, num_layers=1"
# Each version of TensorFlow drops, and shuffles, otherwise.
_DROPOUTS = "dropout=0.0, attention_dropout=0.0, ffn_dropout=0.0"
_MODEL = f"""\
import opennmt

def model():
    embedder = opennmt.inputters.WordEmbedder
    return opennmt.models.Transformer(
        embedder(embedding_size=16), embedder(embedding_size=16), {_SIZES}, {_DROPOUTS})
"""

PROGRAMS = tuple(
    Program(
        f"OpenNMT-tf {version}: Transformer",
        f"OpenNMT-tf=={version}",
        "-m opennmt.bin.main --model {folder}/tiny.py --config {folder}/data.yml "
        "--mixed_precision train",
        (
            *("pyonmttok", "ctranslate2", "rouge", "sacrebleu<1.6", "portalocker", "pyyaml"),
            *("tensorflow-addons==0.23.0", "typeguard<3"),
        ),
        {
            "source.txt": "\n".join(_LINES),
            "target.txt": "\n".join(_REVERSED),
            "vocabulary.txt": "\n".join(["<blank>", "<s>", "</s>", *_WORDS]),
            "data.yml": _CONFIGURATION,
            "tiny.py": _MODEL,
        },
        sources=("opennmt",),
        shim="tensorflow_addons",
    )
    for version in ("2.8.1", "2.15.0")
)
