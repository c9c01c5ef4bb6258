# SPDX-License-Identifier: Apache-2.0
"""The profiler of old programs profiles, and says when it is used twice."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

from compat_lossscale.neighbours import eager_profiler


def test_what_is_profiled_is_saved_where_tensorboard_finds_it(tmp_path: Path) -> None:
    with eager_profiler.Profiler(str(tmp_path)):
        tf.add(1, 2)
    (profile,) = tmp_path.glob("plugins/profile/*/local.xplane.pb")
    assert profile.stat().st_size
    assert len(list(tmp_path.glob("*.profile-empty"))) == 1


def test_the_file_of_events_is_made_once(tmp_path: Path) -> None:
    eager_profiler.maybe_create_event_file(str(tmp_path))
    eager_profiler.maybe_create_event_file(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


def test_it_is_one_at_a_time() -> None:
    with pytest.raises(eager_profiler.ProfilerNotRunningError):
        eager_profiler.stop()
    eager_profiler.start()
    with pytest.raises(eager_profiler.ProfilerAlreadyRunningError):
        eager_profiler.start()
    assert eager_profiler.stop()


def test_another_profiler_that_is_running_is_an_error(tmp_path: Path) -> None:
    tf.profiler.experimental.start(str(tmp_path))
    with pytest.raises(eager_profiler.ProfilerAlreadyRunningError):
        eager_profiler.start()
    tf.profiler.experimental.stop()
