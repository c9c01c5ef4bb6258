# SPDX-License-Identifier: Apache-2.0
"""HaoyuHu/bert-multi-gpu: BERT of TensorFlow 1, with `tf.contrib` and an estimator."""

from __future__ import annotations

import json

from tests.programs.program import Program

_SIZES = {
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
    "vocab_size": 6,
}
_SENTENCES = "".join(f"x\t{number % 2}\t\tone two\n" for number in range(8))

PROGRAMS = (
    Program(
        "bert-multi-gpu: BERT, classifier",
        "github:HaoyuHu/bert-multi-gpu@66dc4ec8af70ec13e44749dae2ca8e5928f4b02e",
        "--tf1 {program}/run_custom_classifier.py --task_name=cola --do_train --use_fp16 "
        "--data_dir={folder} --vocab_file={folder}/vocab.txt "
        "--bert_config_file={folder}/bert_config.json --output_dir={folder}/model "
        "--max_seq_length=8 --train_batch_size=2 --num_train_epochs={epochs}",
        ("tensorflow-estimator==2.15.*", "absl-py<2", "six"),
        {
            "bert_config.json": json.dumps(_SIZES),
            "vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\none\ntwo\n",
            "train.tsv": _SENTENCES,
        },
    ),
)
