# SPDX-License-Identifier: Apache-2.0
"""TensorFlowTTS: speech synthesis, with a trainer for one model and one for two (GANs)."""

from __future__ import annotations

from tests.programs.program import Program

_COMMIT = "github:TensorSpeech/TensorFlowTTS@d8cf1f11f64a6ca261f5fb874641008083c8624e"
_NEEDS = (
    *("tensorflow-addons==0.23.0", "typeguard<3", "tqdm", "pyyaml", "jamo", "unidecode"),
    *("inflect<6", "soundfile", "cffi", "pycparser", "scikit-learn", "joblib", "threadpoolctl"),
    *("scipy", "librosa", "audioread", "pooch", "lazy-loader", "soxr", "numba", "llvmlite"),
    *("decorator", "platformdirs", "msgpack", "pypinyin", "pyworld", "g2p-en", "g2pM", "nltk"),
    *("distance", "regex", "matplotlib", "contourpy", "cycler", "fonttools", "kiwisolver"),
    *("pillow", "python-dateutil", "pyparsing", "huggingface-hub==0.0.8", "filelock", "textgrid"),
    *("cloudpickle", "narwhals"),
)
_INTERVALS = """\
hop_size: 256
format: npy
remove_short_samples: true
allow_cache: false
is_shuffle: true
gradient_accumulation_steps: 1
train_max_steps: {steps}
save_interval_steps: 2
eval_interval_steps: 100
log_interval_steps: 1
num_save_intermediate_results: 1
"""
_ONE_OPTIMIZER = """\
batch_size: 2
mel_length_threshold: 0
var_train_expr: null
optimizer_params:
    initial_learning_rate: 0.001
    end_learning_rate: 0.00005
    decay_steps: 150000
    warmup_proportion: 0.02
    weight_decay: 0.001
"""
_TWO_OPTIMIZERS = """\
sampling_rate: 22050
batch_size: 2
batch_max_steps: 8192
batch_max_steps_valid: 8192
lambda_feat_match: 10.0
discriminator_train_start_steps: 0
generator_optimizer_params: {lr: 0.0001, beta_1: 0.5, beta_2: 0.9}
discriminator_optimizer_params: {lr: 0.0001, beta_1: 0.5, beta_2: 0.9}
"""
_FASTSPEECH = """\
    n_speakers: 1
    encoder_hidden_size: 32
    encoder_num_hidden_layers: 1
    encoder_num_attention_heads: 2
    encoder_attention_head_size: 16
    encoder_intermediate_size: 64
    encoder_intermediate_kernel_size: 3
    encoder_hidden_act: mish
    decoder_hidden_size: 32
    decoder_num_hidden_layers: 1
    decoder_num_attention_heads: 2
    decoder_attention_head_size: 16
    decoder_intermediate_size: 64
    decoder_intermediate_kernel_size: 3
    decoder_hidden_act: mish
    num_duration_conv_layers: 2
    duration_predictor_filters: 16
    duration_predictor_kernel_sizes: 3
    num_mels: 80
    hidden_dropout_prob: 0.1
    attention_probs_dropout_prob: 0.1
    duration_predictor_dropout_probs: 0.1
    max_position_embeddings: 2048
    initializer_range: 0.02
    output_attentions: false
    output_hidden_states: false
"""
_FASTSPEECH2 = _FASTSPEECH.replace(
    """\
    num_duration_conv_layers: 2
    duration_predictor_filters: 16
    duration_predictor_kernel_sizes: 3
""",
    """\
    variant_prediction_num_conv_layers: 2
    variant_predictor_filter: 16
    variant_predictor_kernel_size: 3
    variant_predictor_dropout_rate: 0.5
""",
).replace("    duration_predictor_dropout_probs: 0.1\n", "")
_MELGAN = """\
model_type: melgan_generator
melgan_generator_params:
    out_channels: 1
    kernel_size: 7
    filters: 256
    upsample_scales: [8, 8, 2, 2]
    stack_kernel_size: 3
    stacks: 1
    is_weight_norm: false
melgan_discriminator_params:
    out_channels: 1
    scales: 2
    downsample_pooling: AveragePooling1D
    downsample_pooling_params: {pool_size: 4, strides: 2}
    kernel_sizes: [5, 3]
    filters: 4
    max_downsample_filters: 4
    downsample_scales: [4, 4]
    nonlinear_activation: LeakyReLU
    nonlinear_activation_params: {alpha: 0.2}
    is_weight_norm: false
"""


def _example(name: str, model: str, configuration: str, flags: str) -> Program:
    return Program(
        f"TensorFlowTTS 0.11: {name}",
        _COMMIT,
        f"{{program}}/examples/{model}/train_{model}.py --train-dir {{folder}}/train "
        "--dev-dir {folder}/valid --outdir {folder}/model --config {folder}/config.yaml "
        f"--use-norm 1 {flags}",
        _NEEDS,
        {"config.yaml": _INTERVALS + configuration},
        resume="--resume {checkpoint}",
        prepare="tensorflow_tts",
        sources=("tensorflow_tts", f"examples/{model}"),
        model="model/checkpoints",
        shim="tensorflow_addons",
    )


PROGRAMS = (
    _example(
        "FastSpeech",
        "fastspeech",
        f"{_ONE_OPTIMIZER}model_type: fastspeech\nfastspeech_params:\n{_FASTSPEECH}",
        "--mixed_precision 1",
    ),
    _example(
        "FastSpeech2",
        "fastspeech2",
        f"{_ONE_OPTIMIZER}model_type: fastspeech2\nfastspeech2_params:\n{_FASTSPEECH2}",
        "--f0-stat {folder}/f0_stat.npy --energy-stat {folder}/energy_stat.npy --mixed_precision 1",
    ),
    _example(
        "MelGAN",
        "melgan",
        _TWO_OPTIMIZERS + _MELGAN,
        "--generator_mixed_precision 1 --discriminator_mixed_precision 1",
    ),
)
