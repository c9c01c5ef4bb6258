# SPDX-License-Identifier: Apache-2.0
"""Who may import whom. Imports are read off the source, lazy ones included."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import REPOSITORY

ROOTS = {"compat_lossscale": REPOSITORY, "lossscale_codemods": REPOSITORY / "codemods"}

# A room of the shim, and the rooms it may import. What stands in no list may be imported by none.
# Leaves are modules that every room may use; "_version" is the number alone. The modules of public
# names, such as `experimental`, count as rooms of their own, and so does the package's `__init__`.
LEAVES = {
    "errors", "_require", "_atomic_file", "_patching", "_import_hook", "_version",
}  # fmt: skip
MAY_IMPORT: dict[str, set[str]] = {
    **{leaf: set() for leaf in LEAVES},
    "_require": {"errors"},
    "spec": {"errors"},
    "core": {"spec"},
    "members": {"spec", "core"},
    "tf1": {"spec", "core", "members"},
    "optimizers": {"spec", "core", "members", "tf1"},
    "keras3": {"spec", "core", "members", "tf1", "neighbour_names", "watching"},
    "policies": {"spec", "core", "members", "optimizers"},
    "experimental": {"core", "optimizers", "policies"},
    "v1": {"core", "tf1", "optimizers"},
    # Tables, which the codemod reads too.
    "neighbour_names": set(),
    "legacy": {"core", "members", "tf1", "optimizers", "keras3", "policies", "neighbour_names"},
    "watching": {"spec", "pages"},
    "callbacks": {"watching"},
    "pages": set(),
    "formats": {"spec", "pages"},
    "equivalence": {"spec", "formats", "optimizers"},
    "models": {"spec", "formats", "optimizers", "keras3", "legacy"},
    "recording": {"formats", "pages"},
    "lossscale_codemods": {"spec", "pages", "neighbour_names"},
    "cli": {
        "package",
        "neighbour_names",
        "legacy",
        "spec",
        "formats",
        "equivalence",
        "models",
        "lossscale_codemods",
        "pages",
        "recording",
    },
    "__main__": {"cli"},
    # The package's own __init__ names the modules of the public names, each loaded on first use.
    "package": {
        "spec",
        "core",
        "optimizers",
        "experimental",
        "keras3",
        "v1",
        "equivalence",
        "callbacks",
        "watching",
        "legacy",
    },
}
# What imports no framework, or no Keras, in a room that otherwise may.
WITHOUT_TENSORFLOW = {
    "legacy.environment",
    "legacy.program",
    "legacy.serving",
    "legacy.startup",
    "legacy.waiting",
    "models",
    "models.rebuilding",
    "keras3",
    "keras3.arguments",
    "keras3.optimizer",
    "keras3.private",
    "keras3.backends",
    "keras3.backends.stateless",
    "members",
    "members.guards",
    "watching.logged_run",
    "watching.report",
}
# One word has one meaning, so that a class can be searched for by its name. The exceptions:
SHARED_CLASS_NAMES = {
    "LossScaleOptimizer": "TensorFlow 2.3 and 2.4 had different classes under this public name",
    "Policy": "tf-keras and Keras 3 each have a base class of policies",
    "LossScaleLogger": "tf-keras and Keras 3 each have a base class of callbacks",
    "FixedLossScale": "the codemod evaluates constructors with stand-ins for it",
    "DynamicLossScale": "the codemod evaluates constructors with stand-ins for it",
}
MAY_IMPORT_TENSORFLOW = {
    "core", "members", "tf1", "optimizers", "keras3", "policies", "legacy",
    "equivalence", "watching", "models", "callbacks",
}  # fmt: skip
MAY_IMPORT_TF_KERAS = MAY_IMPORT_TENSORFLOW - {"core", "members", "tf1", "keras3"}
MAY_IMPORT_KERAS_3 = {"keras3", "models"}
# They stand for what old programs find in TensorFlow, tf-keras and estimators.
USES_PRIVATE_ATTRIBUTES = {
    "compat_lossscale.legacy.changed_behaviour",
    "compat_lossscale.legacy.estimator_training",
    "compat_lossscale.legacy.graph_view",
}
PUTS_NAMES_INTO_KERAS_3 = "compat_lossscale.legacy.install"


def may_import_tensorflow(module: str) -> bool:
    """Whether a module may import TensorFlow: its room may, and nothing else is said of it."""
    name = module.removeprefix("compat_lossscale.")
    return part_of(module) in MAY_IMPORT_TENSORFLOW and name not in WITHOUT_TENSORFLOW


@functools.cache
def modules() -> list[tuple[str, Path]]:
    """Every module of the two packages: dotted name and path."""
    found = []
    for package, root in ROOTS.items():
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found.append((".".join(parts).removesuffix(".__init__"), path))
    return found


def part_of(module: str) -> str:
    """The part of the house that a module belongs to."""
    names = module.split(".")
    if names[0] == "lossscale_codemods":
        return "lossscale_codemods"
    return names[1] if len(names) > 1 else "package"


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(path.read_text())


@functools.cache
def imports_of(module: str, path: Path) -> frozenset[str]:
    """Every module that `path` imports: by statement anywhere, or by a name in import_module."""
    return _imported_in(module, path, list(ast.walk(tree_of(path))))


def imports_at_once(module: str, path: Path) -> frozenset[str]:
    """Every module that is imported as soon as `path` is: not in functions, nor for types alone."""
    waiting, found = [*tree_of(path).body], []
    while waiting:
        node = waiting.pop()
        is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if not is_for_types and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node)
            waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
    return _imported_in(module, path, found)


def _imported_in(module: str, path: Path, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The modules that some nodes of a module import."""
    known = {name for name, _ in modules()}
    is_package = path.name == "__init__.py"
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                names = module.split(".")
                kept = names[: len(names) - node.level + is_package]
                base = ".".join([*kept, *([base] if base else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in known else base)
        elif isinstance(node, ast.Call) and _name_of(node.func).endswith("import_module"):
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
    return frozenset(found)


def _name_of(function: ast.expr) -> str:
    """The last name of `a.b.c`, or the only one."""
    return getattr(function, "attr", getattr(function, "id", ""))


def test_a_module_imports_only_what_its_part_may() -> None:
    for module, path in modules():
        part = part_of(module)
        allowed = MAY_IMPORT[part] | LEAVES | {part}
        ours = {name for name in imports_of(module, path) if name.split(".")[0] in ROOTS}
        assert {part_of(name) for name in ours} <= allowed, module


def test_only_the_parts_that_need_a_framework_import_it() -> None:
    for module, path in modules():
        part = part_of(module)
        roots = {name.split(".")[0] for name in imports_of(module, path)}
        if part not in MAY_IMPORT_KERAS_3 and module != PUTS_NAMES_INTO_KERAS_3:
            assert "keras" not in roots, module
        if not may_import_tensorflow(module):
            assert not roots & {"tensorflow", "tf_keras"}, module
        if part not in MAY_IMPORT_TF_KERAS:
            assert "tf_keras" not in roots, module


@pytest.mark.parametrize(
    ("package", "parts"),
    [("libcst", {"lossscale_codemods"}), ("click", {"cli", "lossscale_codemods"})],
)
def test_other_packages_are_used_where_they_belong(package: str, parts: set[str]) -> None:
    for module, path in modules():
        if part_of(module) not in parts:
            assert package not in {name.split(".")[0] for name in imports_of(module, path)}, module


def test_private_modules_of_keras_are_touched_in_one_file_only() -> None:
    touching = {
        module
        for module, path in modules()
        for name in imports_of(module, path)
        if name.startswith("tf_keras.src")
    }
    assert touching <= {"compat_lossscale.optimizers.stock"}


def defined_in(path: Path) -> set[str]:
    """Every name that a module defines: functions, classes, variables, attributes, imports."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return found


def test_private_attributes_of_others_are_touched_where_they_may_be() -> None:
    ours = set().union(*(defined_in(path) for _, path in modules()))
    touching = {
        module: ast.unparse(node)
        for module, path in modules()
        if may_import_tensorflow(module)
        and part_of(module) not in ("core", "optimizers")
        and module not in USES_PRIVATE_ATTRIBUTES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        if node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in ours
    }
    assert touching == {}


def test_the_table_describes_a_house_without_circles() -> None:
    order: list[str] = []

    def visit(part: str, above: tuple[str, ...] = ()) -> None:
        assert part not in above, f"a circle: {above}"
        for other in sorted(MAY_IMPORT[part]):
            visit(other, (*above, part))
        if part not in order:
            order.append(part)

    for part in MAY_IMPORT:
        visit(part)
    assert order.index("spec") < order.index("core") < order.index("optimizers")
    assert order.index("policies") < order.index("legacy") < order.index("cli")


def test_the_reader_of_imports_sees_lazy_and_relative_ones(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(
        "import a.b\nfrom compat_lossscale import spec\n"
        "def f():\n    from tensorflow import keras\n    importlib.import_module('tf_keras.x')\n"
        "from . import gradients\nfrom .native import LossScale\n"
    )
    assert imports_of("compat_lossscale.core.m", path) == {
        "a.b",
        "compat_lossscale.spec",
        "tensorflow",
        "tf_keras.x",
        "compat_lossscale.core.gradients",
        "compat_lossscale.core.native",
    }


# The rooms of the codemod: each imports only from itself and from those below it.
ROOMS = (
    "running",
    "reports",
    "project",
    "rewriting",
    "rules",
    "domain",
    "python",
    "source",
    "tables",
)
CODEMOD = [(module, path) for module, path in modules() if module.startswith("lossscale_codemods.")]


def room_of(module: str) -> str | None:
    """The room of the codemod that a module is in; none for its public entries."""
    name = module.split(".")[1] if "." in module else ""
    return name if name in ROOMS else None


def test_a_room_of_the_codemod_imports_only_from_the_rooms_below() -> None:
    for module, path in CODEMOD:
        room = room_of(module)
        if room is None:
            assert module == "lossscale_codemods.command"
            continue
        below = ROOMS[ROOMS.index(room) :]
        ours = {name for name in imports_of(module, path) if name.startswith("lossscale_codemods")}
        assert {room_of(name) for name in ours} <= set(below), module


def test_only_the_domain_sees_what_a_program_means_to_python() -> None:
    for module, path in CODEMOD:
        if room_of(module) not in ("python", "domain"):
            assert "python" not in {room_of(name) for name in imports_of(module, path)}, module


def test_later_rooms_see_the_domain_by_its_front_alone() -> None:
    inner = "lossscale_codemods.domain."
    for module, path in CODEMOD:
        if room_of(module) != "domain":
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.ImportFrom):
                    assert not (node.module or "").startswith(inner), module


def test_no_modules_import_each_other_in_a_circle() -> None:
    # The package's own __init__ imports what is asked for, and nothing before.
    rest = [(module, path) for module, path in modules() if module != "compat_lossscale"]
    known = dict(rest)
    imported = {module: imports_of(module, path) & known.keys() for module, path in rest}
    while imported:
        leaves = {module for module, others in imported.items() if not others & imported.keys()}
        assert leaves, f"a circle among {sorted(imported)}"
        for module in leaves:
            del imported[module]


def test_each_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for module, path in modules():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    assert {name for name, found in places.items() if len(found) > 1} == set(SHARED_CLASS_NAMES)


TABLE_OF_FORMER_IDS = "lossscale_codemods.tables.options"
# It only shrinks: a mechanism that no real file needs goes, and what it rewrote is reported.
MOST_LINES_OF_THE_CODEMOD = 18_034
MOST_MODULES_OF_THE_CODEMOD = 60


def test_the_codemod_does_not_grow() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for _, path in CODEMOD)
    assert lines <= MOST_LINES_OF_THE_CODEMOD
    assert len(CODEMOD) <= MOST_MODULES_OF_THE_CODEMOD


def test_only_the_rules_name_ids_of_rules() -> None:
    named = {
        (module, node.value)
        for module, path in CODEMOD
        if room_of(module) != "rules" and module != TABLE_OF_FORMER_IDS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(r"LS\d{3}", node.value)
    }
    assert named == set()


def shim(*names: str) -> list[Path]:
    """The modules of the shim of these names, and those below them."""
    below = tuple(f"compat_lossscale.{name}." for name in names) or ("compat_lossscale.",)
    return [path for module, path in modules() if f"{module}.".startswith(below)]


def lines_of(paths: list[Path]) -> int:
    """How many lines files have together."""
    return sum(len(path.read_text().splitlines()) for path in paths)


def test_the_core_stays_small_enough_to_read() -> None:
    # A decision, not an accident: change the number together with the page on the house.
    assert lines_of(shim("core")) <= 1076
    assert lines_of(shim("core", "spec.update_rule")) <= 1240


def test_the_package_does_not_grow() -> None:
    # It is to shrink. Lower the numbers when it does.
    assert lines_of(shim()) <= 23_656
    assert len(shim()) <= 101


def floors_of(imported: dict[str, set[str]]) -> int:
    """How many floors a house has in which everything stands above what it imports."""

    @functools.cache
    def floor(name: str) -> int:
        return 1 + max((floor(other) for other in imported[name]), default=0)

    return max(map(floor, imported))


def test_the_shim_has_few_floors() -> None:
    # They are to stay few: who reads a module has to know what is below it.
    ours = [(module, path) for module, path in modules() if path in set(shim())]
    known = {module for module, _ in ours}
    direct = {module: imports_at_once(module, path) & known - {module} for module, path in ours}
    assert floors_of(direct) <= 13
    rooms: dict[str, set[str]] = {part_of(module): set() for module in known}
    for module, path in ours:
        others = {part_of(name) for name in imports_of(module, path) & known}
        rooms[part_of(module)] |= others - {part_of(module)}
    assert floors_of(rooms) <= 11
