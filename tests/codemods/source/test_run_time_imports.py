# SPDX-License-Identifier: Apache-2.0
"""Modules and scripts that a program runs by their names."""

from __future__ import annotations

import pytest
from lossscale_codemods.source.run_time_imports import ModuleName, module_names, scripts


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import_module('models.small')", ModuleName("models.small", False)),
        ("import_module('.small', __name__)", ModuleName(".small", False)),
        ("runpy.run_module('train', run_name='__main__')", ModuleName("train", False)),
        ("pkgutil.resolve_name('models.small:build')", ModuleName("models.small", False)),
        ("import_module('models.' + name)", ModuleName("models", True)),
        ("import_module('models.net_' + name)", ModuleName("models", True)),
        ("import_module(f'models.{name}')", ModuleName("models", True)),
        ("import_module(f'models.{name}_net')", ModuleName("models", True)),
        ("import_module('models.{}'.format(name))", ModuleName("models", True)),
        ("import_module('models.%s' % name)", ModuleName("models", True)),
        ("import_module('.' + name, __name__)", ModuleName(".", True)),
    ],
)
def test_modules(code: str, expected: ModuleName) -> None:
    assert list(module_names(code.encode())) == [expected]


@pytest.mark.parametrize("code", ["import_module(name)", "import_module(f'{home}.x')", "x('a.b')"])
def test_modules_that_are_known_at_run_time_alone(code: str) -> None:
    assert list(module_names(code.encode())) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("runpy.run_path('train.py')", ["train.py"]),
        ("runpy.run_path(here + '/train.py')", ["train.py"]),
        ("exec(open('../lib/train.py').read())", ["../lib/train.py"]),
        ("%run train.py --epochs 3", ["train.py"]),
        ("exec(code)", []),
        ("subprocess.run(['python', 'train.py'])", []),
    ],
)
def test_scripts(code: str, expected: list[str]) -> None:
    assert list(scripts(code.encode())) == expected
