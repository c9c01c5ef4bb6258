# SPDX-License-Identifier: Apache-2.0
"""Published programs that train with loss scaling, in the order of the documentation's table."""

from __future__ import annotations

from tests.programs.program import Program
from tests.programs.projects import (
    bert_multi_gpu,
    efficientdet,
    mlperf,
    opennmt_tf,
    retinanet,
    seq2seq,
    speech_recognition,
    tensorflow_tts,
    tf_models,
    x3d,
)

PROGRAMS: tuple[Program, ...] = (
    *opennmt_tf.PROGRAMS,
    *tf_models.PROGRAMS,
    *tensorflow_tts.PROGRAMS,
    *mlperf.PROGRAMS,
    *retinanet.PROGRAMS,
    *x3d.PROGRAMS,
    *seq2seq.PROGRAMS,
    *speech_recognition.PROGRAMS,
    *efficientdet.PROGRAMS,
    *bert_multi_gpu.PROGRAMS,
)
