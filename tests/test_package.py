# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pkgutil
import re

import pytest

import compat_lossscale
from compat_lossscale import errors
from tests.support import REPOSITORY, python, run_code

MODULES = [
    path
    for package in ("compat_lossscale", "codemods/lossscale_codemods")
    for path in sorted((REPOSITORY / package).rglob("*.py"))
]
HEAVY = "{'tensorflow', 'keras', 'tf_keras'} & {name.split('.')[0] for name in sys.modules}"


def test_the_public_names_are_these() -> None:
    assert compat_lossscale.__all__ == [
        "DynamicLossScale",
        "FixedLossScale",
        "Generation",
        "LossScale",
        "LossScaleOptimizer",
        "LossScaleRule",
        "LossScaleSpec",
        "LossScaleState",
        "__version__",
        "all_finite",
        "assert_equivalent",
        "callbacks",
        "configs_equivalent",
        "convert_config",
        "experimental",
        "install",
        "installed",
        "keras3",
        "loss_scale_report",
        "plot_history",
        "uninstall",
        "v1",
    ]


def test_the_experimental_names_are_those_of_tensorflow() -> None:
    assert compat_lossscale.experimental.__all__ == [
        "DynamicLossScale",
        "FixedLossScale",
        "LossScale",
        "LossScaleOptimizer",
        "Policy",
        "get_layer_policy",
        "global_policy",
        "set_policy",
    ]


def test_the_v1_names_are_those_of_tensorflow() -> None:
    assert compat_lossscale.v1.__all__ == [
        "DynamicLossScale",
        "FixedLossScale",
        "LossScale",
        "MixedPrecisionLossScaleOptimizer",
        "disable_mixed_precision_graph_rewrite",
        "enable_mixed_precision_graph_rewrite",
    ]


@pytest.mark.parametrize("module", ["", "experimental", "v1"])
def test_every_public_name_is_there_and_listed(module: str) -> None:
    namespace = getattr(compat_lossscale, module) if module else compat_lossscale
    for name in namespace.__all__:
        assert getattr(namespace, name) is not None
        assert name in dir(namespace)


def test_every_public_class_and_function_has_a_docstring() -> None:
    for namespace in (compat_lossscale, compat_lossscale.experimental, compat_lossscale.v1):
        for name in namespace.__all__:
            if name != "__version__":
                assert getattr(namespace, name).__doc__, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'compat_lossscale' has no attribute 'nope'"):
        _ = compat_lossscale.nope


def test_the_version_is_one_of_pep_440() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+([ab]\d+|rc\d+)?(\.dev\d+)?", compat_lossscale.__version__)


def test_every_error_derives_from_one_base_and_from_what_tensorflow_raised() -> None:
    base = errors.CompatLossScaleError
    assert issubclass(errors.LossScaleArgumentError, (base,))
    expected = {
        errors.LossScaleArgumentError: (ValueError, TypeError),
        errors.InexpressibleLossScaleError: (ValueError,),
        errors.ConfigFormatError: (ValueError, KeyError),
        errors.InstallError: (RuntimeError,),
        errors.MissingExtraError: (ImportError,),
    }
    for error, parents in expected.items():
        assert issubclass(error, base)
        for parent in parents:
            assert issubclass(error, parent)
    assert str(errors.ConfigFormatError("a message")) == "a message"
    assert str(errors.ConfigFormatError()) == ""


def test_every_module_starts_with_its_licence() -> None:
    licence = "# SPDX-License-Identifier: Apache-2.0\n"
    assert MODULES
    assert [path for path in MODULES if not path.read_text().startswith(licence)] == []


def test_importing_the_package_loads_no_tensorflow() -> None:
    out = run_code(
        f"""
import sys
import compat_lossscale, compat_lossscale.spec, compat_lossscale.errors
import compat_lossscale.spec.update_rule, compat_lossscale.cli
compat_lossscale.LossScaleSpec, compat_lossscale.install, dir(compat_lossscale)
print({HEAVY} or "none")
"""
    )
    assert out.strip() == "none"


def test_importing_the_package_has_no_side_effects() -> None:
    run_code(
        """
import os, sys
before = dict(os.environ), list(sys.path), list(sys.meta_path)
import compat_lossscale
assert before == (dict(os.environ), list(sys.path), list(sys.meta_path))
"""
    )


def test_everything_in_the_codemods_loads_no_tensorflow() -> None:
    out = run_code(
        f"""
import importlib, pkgutil, sys
import lossscale_codemods
for module in pkgutil.walk_packages(lossscale_codemods.__path__, "lossscale_codemods."):
    importlib.import_module(module.name)
print({HEAVY} or "none")
"""
    )
    assert out.strip() == "none"


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["run", "--help"]])
def test_the_command_answers_without_tensorflow(args: list[str]) -> None:
    # Python itself says what was imported.
    done = python("-X", "importtime", "-m", "compat_lossscale", *args)
    assert done.returncode == 0
    assert "compat-lossscale" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "compat_lossscale.cli" in imported
    assert not {name.split(".")[0] for name in imported} & {"tensorflow", "keras", "tf_keras"}


def test_a_name_that_needs_tensorflow_says_so_in_one_line_when_it_is_missing() -> None:
    out = run_code(
        """
import importlib.util as u
real = u.find_spec
u.find_spec = lambda name, *args: None if name in ("tensorflow", "tf_keras") else real(name, *args)
import compat_lossscale
for read in (lambda: compat_lossscale.LossScaleOptimizer, lambda: compat_lossscale.DynamicLossScale,
             lambda: compat_lossscale.experimental, lambda: compat_lossscale.v1):
    try:
        read()
    except ImportError as error:
        print(error)
"""
    )
    lines = out.splitlines()
    assert len(lines) == 4
    both = "needs TensorFlow and tf-keras (tensorflow and tf_keras not found): "
    one = "needs TensorFlow (tensorflow not found): "
    for line, needs in zip(lines, [both, both, both, one], strict=True):
        assert line.endswith(f"{needs}pip install tensorflow tf-keras tensorboard")


def test_both_packages_are_typed() -> None:
    for package in ("compat_lossscale", "codemods/lossscale_codemods"):
        assert (REPOSITORY / package / "py.typed").is_file()


def test_every_module_can_be_imported_on_its_own_terms() -> None:
    import importlib

    for module in pkgutil.walk_packages(compat_lossscale.__path__, "compat_lossscale."):
        if not module.name.endswith("__main__"):
            assert importlib.import_module(module.name).__doc__, module.name


def test_the_v1_names_load_no_tf_keras_and_wrap_its_optimizers_once_it_is_loaded() -> None:
    out = run_code(
        """
import sys
from compat_lossscale.v1 import enable_mixed_precision_graph_rewrite
print("tf_keras" in sys.modules)
import tf_keras
optimizer = enable_mixed_precision_graph_rewrite(tf_keras.optimizers.SGD(0.1))
from compat_lossscale.experimental import LossScaleOptimizer
print(isinstance(optimizer, LossScaleOptimizer))
""",
        tensorflow_may_be_imported=True,
    )
    assert out.split() == ["False", "True"]
