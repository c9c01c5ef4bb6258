# SPDX-License-Identifier: Apache-2.0
"""Under `install()` and `run`, programs find the neighbours; after `uninstall()`, nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import python, run_code

if TYPE_CHECKING:
    from pathlib import Path

USES = {
    "numpy": "import numpy as np; assert np.float is float and np.Inf > 1",
    "collections": "from collections import Mapping; assert isinstance({}, Mapping)",
    "inspect": "import inspect; assert inspect.getargspec(lambda a: a).args == ['a']",
    "distutils": "from distutils.version import LooseVersion; assert LooseVersion('2.1') > '2.0'",
    "run_v2": "import tensorflow as tf; s = tf.distribute.OneDeviceStrategy('/cpu:0'); "
    "assert s.experimental_run_v2(lambda x: x + 1, args=(1,)) == 2",
    "run_v2 of v1": "import tensorflow.compat.v1 as tf; s = tf.distribute.OneDeviceStrategy("
    "'/cpu:0'); assert s.experimental_run_v2(lambda: 3) == 3",
    "vectorization": "import tensorflow as tf; o = tf.data.Options(); "
    "o.experimental_optimization.map_vectorization.enabled = True; "
    "assert o.experimental_optimization.map_vectorization.enabled; "
    "assert list(tf.data.Dataset.range(2).map(abs).with_options(o).as_numpy_iterator()) == [0, 1]",
    "vectorization as a bool": "import tensorflow as tf; o = tf.data.Options(); "
    "o.experimental_optimization.map_vectorization = True",
    "version of Keras": "import tensorflow as tf, tensorflow.compat.v1 as tf1; "
    "assert tf.keras.__version__ == tf1.keras.__version__ >= '2.16'",
    "tracking": "from tensorflow.python.training.tracking import base, data_structures, "
    "graph_view, tracking, util; import tensorflow as tf; "
    "assert issubclass(tf.Module, tracking.AutoTrackable) and util.Checkpoint; "
    "assert graph_view.ObjectGraphView(tf.Module())",
}


def test_programs_find_them_after_install_and_not_after_uninstall() -> None:
    run_code(
        f"""
        import importlib, sys, warnings
        warnings.simplefilter("ignore")
        import numpy, collections, inspect, tensorflow as tf
        tf.keras.layers, tf.compat.v1.keras.layers  # TensorFlow loads Keras at first use
        import compat_lossscale
        uses = {USES!r}
        def outcomes():
            found = []
            for name, code in uses.items():
                try:
                    exec(code, {{}})
                except (ImportError, AttributeError):
                    found.append(name)
            return found
        missing, modules, paths = outcomes(), set(sys.modules), list(sys.meta_path)
        assert {{"run_v2", "vectorization", "tracking"}} <= set(missing), missing
        places = numpy, collections, inspect, tf, tf.compat.v1
        before = [dict(vars(place)) for place in places]
        compat_lossscale.install()
        assert outcomes() == [], outcomes()
        compat_lossscale.uninstall()
        assert outcomes() == missing
        assert sys.meta_path == paths
        for place, names in zip(places, before):
            assert vars(place).keys() == names.keys()
            changed = [name for name in names if vars(place)[name] is not names[name]]
            assert changed == [], (place, changed)
        assert not set(sys.modules) & {{"tensorflow.python.training.tracking"}}
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )


def test_programs_find_them_under_run(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(
        "import tensorflow\n"
        f"for code in {list(USES.values())!r}:\n"
        "    exec(code, {})\n"
        "print('all are served')\n"
    )
    arguments = ("-m", "compat_lossscale", "run", str(program))
    done = python(*arguments, tensorflow_may_be_imported=True)
    assert done.stdout == "all are served\n", done.stderr


@pytest.mark.parametrize("names", ["install(neighbours=False)", "run --only-loss-scale"])
def test_they_can_be_left_out(names: str, tmp_path: Path) -> None:
    uses = (
        "import numpy as np, tensorflow as tf\n"
        "assert tf.keras.mixed_precision.experimental.LossScaleOptimizer\n"
        "assert not hasattr(np, 'float') and not hasattr(tf.distribute.Strategy, "
        "'experimental_run_v2')\n"
    )
    if names.startswith("install"):
        run_code(
            f"import compat_lossscale; compat_lossscale.{names}\n{uses}",
            environment={"TF_USE_LEGACY_KERAS": "1"},
            tensorflow_may_be_imported=True,
        )
        return
    program = tmp_path / "program.py"
    program.write_text(uses)
    arguments = ("-m", "compat_lossscale", *names.split(), str(program))
    done = python(*arguments, tensorflow_may_be_imported=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_run_serves_them_before_tensorflow_is_imported(tmp_path: Path) -> None:
    # What Python lacks may be asked for by TensorFlow itself, while that is imported.
    program = tmp_path / "program.py"
    program.write_text("\n".join(USES.values()) + "\nprint('done')\n")
    done = python("-W", "ignore", "-m", "compat_lossscale", "run", str(program))
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_installing_again_with_other_arguments_is_refused() -> None:
    out = run_code(
        """
        import compat_lossscale
        compat_lossscale.install(neighbours=False)
        compat_lossscale.install()
        try:
            compat_lossscale.install(neighbours=True)
        except compat_lossscale.errors.InstallError as error:
            print(error)
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert "neighbours=False" in out


def test_a_module_that_a_package_has_still_is_explained_by_that() -> None:
    out = run_code(
        """
        from compat_lossscale import _patching
        from compat_lossscale.legacy import waiting
        undo = []
        waiting.serve_neighbours(undo)
        try:
            import pkg_resources
            print("it is installed")
        except ImportError as error:
            print(error)
        _patching.take_back(undo)
        """
    )
    assert "it is installed" in out or "pip install 'setuptools<81'" in out


WITH_A_FINDER = """
import importlib.machinery, sys
class Vendored:
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if "vendored" in name else None
    def create_module(self, spec): ...
    def exec_module(self, module): ...
sys.meta_path.append(Vendored())
import pkg_resources.vendored
"""


def test_a_package_that_is_there_finds_its_own_modules(tmp_path: Path) -> None:
    """As that of setuptools 65 to 80 does, which Pythons up to 3.11 install."""
    (tmp_path / "pkg_resources").mkdir()
    (tmp_path / "pkg_resources" / "__init__.py").write_text(WITH_A_FINDER)
    (tmp_path / "program.py").write_text("import pkg_resources\nprint('imported')\n")
    done = python("-m", "compat_lossscale", "run", "program.py", cwd=tmp_path)
    assert done.stdout == "imported\n", done.stderr


def test_contrib_is_explained() -> None:
    out = run_code(
        """
        import compat_lossscale
        compat_lossscale.install()
        import tensorflow as tf
        assert not hasattr(tf, "contrib")
        for code in ("tf.contrib.layers", "import tensorflow.contrib.slim"):
            try:
                exec(code)
            except (AttributeError, ModuleNotFoundError) as error:
                print(error)
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert out.count("ended with TensorFlow 1.15") == 2


def test_what_is_imported_later_is_served_too_and_taken_back() -> None:
    run_code(
        """
        import sys
        from compat_lossscale import _patching
        from compat_lossscale.legacy import waiting
        undo = []
        waiting.serve_neighbours(undo)
        assert not {"numpy", "tensorflow"} & set(sys.modules)
        import numpy
        assert numpy.float is float
        _patching.take_back(undo)
        assert not hasattr(numpy, "float")
        """
    )
