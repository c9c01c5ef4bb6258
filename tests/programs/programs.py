# SPDX-License-Identifier: Apache-2.0
"""Published programs that train with loss scaling, in the order of the documentation's table."""

from __future__ import annotations

from tests.programs.program import Program
from tests.programs.projects import (
    bart_pretrain,
    mlperf,
    opennmt_tf,
    retinanet,
    seq2seq,
    speech_recognition,
    tensorflow_tts,
    x3d,
    tf_models,
)

PROGRAMS: tuple[Program, ...] = (
    *opennmt_tf.PROGRAMS,
    *tf_models.PROGRAMS,
    *tensorflow_tts.PROGRAMS,
    *retinanet.PROGRAMS,
    *x3d.PROGRAMS,
    *seq2seq.PROGRAMS,
    *bart_pretrain.PROGRAMS,
    *mlperf.PROGRAMS,
    *speech_recognition.PROGRAMS,
)
