# SPDX-License-Identifier: Apache-2.0
"""cosmoquester/speech-recognition: `Model.compile` under `mixed_float16`, and `Model.fit`."""

from __future__ import annotations

from tests.programs.program import Program


def _program(name: str, model: str) -> Program:
    return Program(
        f"speech-recognition: {name}",
        "github:cosmoquester/speech-recognition@690aa2eb727ae070810fa7b15f2ba11ef0bc2a3a",
        "-m speech_recognition.run.train "
        "--data-config {program}/resources/configs/libri_config.yml "
        f"--model-config {{program}}/tests/data/model-configs/{model}_mini_for_test.yml "
        "--use-tfrecord --train-dataset-paths {folder}/sounds.tfrecord "
        "--dev-dataset-paths {folder}/sounds.tfrecord --train-dataset-size 8 "
        "--output-path {folder}/model-{steps} --steps-per-epoch 1 --epochs {steps} --batch-size 2 "
        "--dev-batch-size 2 --shuffle-buffer-size 8 --learning-rate 1e-3 --device CPU "
        "--mixed-precision",
        (
            *("tensorflow-io", "tensorflow-text", "tensorflow-addons==0.23.0", "typeguard<3"),
            *("pyyaml", "pydantic<2", "tqdm"),
        ),
        resume="--pretrained-model-path {checkpoint} --skip-epochs 2",
        prepare="speech_recognition",
        sources=("speech_recognition",),
        model="model-{steps}/models",
        shim="tensorflow_addons",
    )


PROGRAMS = (_program("LAS", "las"), _program("DeepSpeech2", "deepspeech"))
