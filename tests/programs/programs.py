# SPDX-License-Identifier: Apache-2.0
"""Published programs that train with loss scaling, in the order of the documentation's table."""

from __future__ import annotations

from tests.programs.program import Program
from tests.programs.projects import (
    efficientdet,
    opennmt_tf,
    retinanet,
    speech_recognition,
    tensorflow_tts,
    tf_models,
)

PROGRAMS: tuple[Program, ...] = (
    *opennmt_tf.PROGRAMS,
    *tf_models.PROGRAMS,
    *tensorflow_tts.PROGRAMS,
    *efficientdet.PROGRAMS,
    *retinanet.PROGRAMS,
    *speech_recognition.PROGRAMS,
)
