# SPDX-License-Identifier: Apache-2.0
"""Settings and fixtures of all tests. TensorFlow is imported by the tests that need it only."""

from __future__ import annotations

import collections
import contextlib
import functools
import gc
import os
import signal
import sys
import zlib
from collections.abc import Generator, Iterator
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_USE_LEGACY_KERAS"] = "1"
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell switches Ctrl-C off for what it runs in the background; some tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest

from tests import forked_python
from tests.support import Family, Mode

collect_ignore = ["codemods/programs"]  # programs that tests run, whatever their names
MODES = ("eager", "function", "graph")
FAMILIES = ("legacy", "new")
# tf-keras' new optimizers do not run in the graphs of TensorFlow 1.
CASES = [(f, m) for f in FAMILIES for m in MODES if (f, m) != ("new", "graph")]
_servers = contextlib.ExitStack()


@functools.cache
def _make_two_logical_devices() -> None:
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def pytest_configure(config: pytest.Config) -> None:
    """Lets all workers of this run share the servers of `forked_python`."""
    if forked_python.FOLDER not in os.environ:
        config.add_cleanup(_servers.close)
        _servers.enter_context(forked_python.servers())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what takes long: see the markers in pyproject.toml, and EVERY in the environment.

    With ALL_CASES in the environment, as `make nightly` sets it, the markers leave nothing out.
    With WHOLE_GRIDS, the marker `grid` leaves nothing out.
    """
    every = int(os.environ.get("EVERY", "1"))
    kept = items if os.environ.get("ALL_CASES") else _short_form(items)
    kept = kept[::every]
    names = {one.nodeid for one in kept}
    config.hook.pytest_deselected(items=[one for one in items if one.nodeid not in names])
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects no garbage meanwhile: what comes up are modules and tests, which stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Lets the garbage collector pass over what lives as long as the run: modules and tests."""
    gc.freeze()


def _freeze() -> None:
    """Lets the garbage collector pass over everything that is alive now.

    A collection takes more than a second otherwise, and a run has hundreds.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def frozen_after_module() -> Iterator[None]:
    """What a module's tests leave, such as traced functions, lives as long as the run."""
    yield
    _freeze()


def _short_form(items: list[pytest.Item]) -> list[pytest.Item]:
    """All tests but those marked `nightly` or `slow`, and every nth case of the others.

    With SLOW_TESTS in the environment, those marked `slow` and no others.

    The cases of a grid begin with another one in each test, so that the tests of a module together
    have every family and every mode.
    """
    kept = []
    takes_slow = bool(os.environ.get("SLOW_TESTS"))
    counts = collections.Counter(_test_of(item) for item in items)
    cases: collections.Counter[str] = collections.Counter()
    for item in items:
        is_slow = item.get_closest_marker("slow") is not None
        if item.get_closest_marker("nightly") or is_slow != takes_slow:
            continue
        test = _test_of(item)
        every, first = 1, 0
        if sampled := item.get_closest_marker("sampled"):
            every = sampled.args[0]
        elif (grid := item.get_closest_marker("grid")) and not os.environ.get("WHOLE_GRIDS"):
            every = grid.args[0]
            first = zlib.crc32(test.encode()) % min(every, counts[test])
        if cases[test] % every == first:
            kept.append(item)
        cases[test] += 1
    return kept


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Makes a skipped test a failure where the environment has NO_SKIPS, as CI's has."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and NO_SKIPS is set: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """Two logical CPU devices, and no global state that outlives a test."""
    uses_tensorflow = os.environ.get("KERAS_BACKEND", "tensorflow") == "tensorflow"
    if uses_tensorflow and "tensorflow" in sys.modules:
        _make_two_logical_devices()
    yield
    if uses_tensorflow and "tensorflow" in sys.modules:
        _reset_tensorflow()


def _reset_tensorflow() -> None:
    import tensorflow as tf
    import tf_keras

    if tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled():
        tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    if "tf_keras" in sys.modules:
        tf_keras.mixed_precision.set_global_policy(None)
        tf_keras.backend.clear_session()
    if "compat_lossscale.policies" in sys.modules:
        sys.modules["compat_lossscale.policies"].patches.replace(())


def _mode(name: str) -> Iterator[Mode]:
    import tensorflow as tf

    if name != "graph":
        yield Mode(name)
        return
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        yield Mode(name, session)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[Mode]:
    """Each way of running TensorFlow code in turn."""
    yield from _mode(request.param)


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    """Each family of Keras optimizers in turn."""
    return Family(request.param)


@pytest.fixture(params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> Iterator[tuple[Family, Mode]]:
    """Each family of Keras optimizers in each way of running that it supports."""
    family_name, mode_name = request.param
    for mode in _mode(mode_name):
        yield Family(family_name), mode


@pytest.fixture(scope="session")
def mirrored() -> Any:
    """A MirroredStrategy over the two logical CPU devices.

    One for all tests: a second one would number its collective operations as the first did.
    """
    from tests.reliability.steps import sides

    _make_two_logical_devices()
    return sides.two_replicas()


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The warnings that go through TensorFlow's logger."""
    import tensorflow as tf

    gc.collect()  # What earlier tests left, such as checkpoints, may warn when it goes.
    messages: list[str] = []
    monkeypatch.setattr(
        tf.get_logger(), "warning", lambda message, *args: messages.append(message % args)
    )
    return messages
