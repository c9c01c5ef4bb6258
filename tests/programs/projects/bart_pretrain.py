# SPDX-License-Identifier: Apache-2.0
"""cosmoquester/transformers-bart-pretrain: a model and an optimizer of transformers, with `fit`."""

from __future__ import annotations

import json

from tests.programs.program import Program

_SIZES = {
    "vocab_size": 8000,
    "d_model": 16,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_layers": 1,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 64,
    "bos_token_id": 2,
    "decoder_start_token_id": 2,
    "eos_token_id": 3,
    "pad_token_id": 0,
    "use_cache": False,
}
_SENTENCES = "".join(f"one {number} two three.\n" for number in range(8))

PROGRAMS = (
    Program(
        "transformers-bart-pretrain: BART of transformers 4.7",
        "github:cosmoquester/transformers-bart-pretrain@065e748bbd2ca05f7f74c5d7f8e6000d419877d1",
        "{program}/scripts/train.py --model-config-path {folder}/sizes.json "
        "--train-dataset-path {folder}/sentences.txt --dev-dataset-path {folder}/sentences.txt "
        "--sp-model-path {program}/sp_model/sp_model_unigram_8K.model --mask-token-id 4 "
        "--output-path {folder}/model-{steps} --epochs {steps} --steps-per-epoch 1 --batch-size 2 "
        "--dev-batch-size 2 --shuffle-buffer-size 8 --max-sequence-length 32 --auto-encoding "
        "--mixed-precision",
        (
            *("transformers==4.7.0", "huggingface-hub==0.0.8", "tensorflow-text", "regex", "tqdm"),
            *("sacremoses", "joblib", "click", "filelock", "pyyaml", "cloudpickle"),
        ),
        {"sizes.json": json.dumps(_SIZES), "sentences.txt": _SENTENCES},
        resume="--pretrained-checkpoint {checkpoint} --skip-epochs 2",
        sources=("scripts", "transformers_bart_pretrain"),
        model="model-{steps}/models",
    ),
)
