# SPDX-License-Identifier: Apache-2.0
"""cosmoquester/seq2seq: the experimental policy, and `Model.fit` with gradients of embeddings."""

from __future__ import annotations

from tests.programs.program import Program

_RNN = """\
cell_type: LSTM
vocab_size: 16000
hidden_dim: 16
num_encoder_layers: 1
num_decoder_layers: 1
dropout: 0.1
"""
_TRANSFORMER = """\
vocab_size: 16000
dim_embedding: 16
num_heads: 2
num_encoder_layers: 1
num_decoder_layers: 1
dim_feedfoward: 32
dropout: 0.1
activation: relu
positional_max_sequence: 64
pad_id: 0
"""
_SENTENCES = "".join(f"one {number} two\ttwo {number} one\n" for number in range(8))


def _program(name: str, model: str, configuration: str) -> Program:
    return Program(
        f"seq2seq: {name}",
        "github:cosmoquester/seq2seq@2abdac0f56efb9edcb45d7bbe20454c41a482331",
        f"{{program}}/scripts/train.py --model-name {model} --model-config-path "
        "{folder}/sizes.yml --dataset-path {folder}/sentences.txt "
        "--sp-model-path {program}/resources/sp-model/sp_model_unigram_16K.model "
        "--output-path {folder}/model-{steps} --epochs 2 --steps-per-epoch 1 --batch-size 2 "
        "--dev-batch-size 2 --num-total-dataset 8 --num-dev-dataset 2 --shuffle-buffer-size 8 "
        "--mixed-precision",
        ("tensorflow-text", "pyyaml"),
        {"sizes.yml": configuration, "sentences.txt": _SENTENCES},
        resume="--pretrained-model-path {checkpoint}",
        sources=("scripts", "seq2seq"),
        model="model-{steps}/models",
        migrated=("scripts", "seq2seq", "resources"),
    )


PROGRAMS = (_program("Transformer", "transformer", _TRANSFORMER),)
