# SPDX-License-Identifier: Apache-2.0
"""The table of old names: what each means, and which names of today mean the same.

Old names are looked up by the dotted path of what they are (`tensorflow.keras...`), never by how a
file happens to spell them. The replacements were tried on TensorFlow 2.4, 2.15 and 2.21.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterator

_TENSORFLOW = re.compile(r"^tensorflow(?:_core)?(?:\._api\.v[12]|(?:\.compat\.v2))*(?=\.|$)")
_V1_ROOT = re.compile(r"^tensorflow\.compat\.v1(?:\.compat\.v1)*(?=\.|$)")
_V1_TO_V2 = re.compile(r"^tensorflow(?:\.compat\.v1)+\.compat\.v2(?=\.|$)")


def canonical(path: str) -> str:
    """Returns the shortest path to the same thing: without `compat.v2`, `_api` and the like."""
    path = _TENSORFLOW.sub("tensorflow", path)
    path = _V1_TO_V2.sub("tensorflow", path)
    path = _V1_ROOT.sub("tensorflow.compat.v1", path)
    return re.sub(r"^tensorflow\._api\.v1\b", "tensorflow.compat.v1", path)


class Meaning(enum.Enum):
    """What an old name is."""

    MODULE = "a module of old names"
    OPTIMIZER = "the experimental LossScaleOptimizer"
    POLICY = "the experimental Policy"
    SET_POLICY = "set_policy"
    GLOBAL_POLICY = "global_policy"
    LAYER_POLICY = "get_layer_policy"
    POLICY_SCOPE = "policy_scope"
    LOSS_SCALE = "the LossScale base class"
    FIXED = "FixedLossScale"
    DYNAMIC = "DynamicLossScale"
    V1_OPTIMIZER = "MixedPrecisionLossScaleOptimizer"
    REWRITE = "enable_mixed_precision_graph_rewrite"
    REWRITE_OFF = "disable_mixed_precision_graph_rewrite"
    CONTRIB = "tf.contrib.mixed_precision"
    LOSS_SCALE_GET = "the private function loss_scale.get"
    PRIVATE = "a private part of a module of old names"
    KERAS_OPTIMIZER = "a Keras optimizer, which is of another family now"
    NEW_OPTIMIZER = "the LossScaleOptimizer of TensorFlow 2.4"
    NEIGHBOUR = "a name next to the loss-scale API, which is gone too"


class Target(enum.Enum):
    """What a program is migrated to.

    A rule's `targets` say for which it is. `OldName.new_paths` and `loss_scale_optimizers` give the
    new names of each.
    """

    TF_KERAS = "tf-keras"
    """The names of TensorFlow 2.4 and later with Keras 2 or tf-keras."""
    COMPAT = "compat"
    """The same old API, on top of compat_lossscale."""
    KERAS3 = "keras3"
    """Keras 3, with the loss scaling of compat_lossscale.keras3."""
    KERAS3_ALONE = "keras3-alone"
    """Keras 3, and nothing besides: `--target keras3 --no-dependency`."""


WITH_KERAS_3 = frozenset([Target.KERAS3, Target.KERAS3_ALONE])
"""Targets at which `tf.keras` is Keras 3."""
WITH_KERAS_2 = frozenset(Target) - WITH_KERAS_3
"""Targets at which `tf.keras` is tf-keras."""
WITH_NEW_API = frozenset(Target) - {Target.COMPAT}
"""Targets whose loss-scale optimizers take the arguments of TensorFlow 2.4."""
WITH_LOSS_SCALE = WITH_NEW_API - {Target.KERAS3_ALONE}
"""Those of them whose loss-scale optimizers have a `loss_scale`."""

BESIDE = frozenset({Meaning.KERAS_OPTIMIZER, Meaning.NEW_OPTIMIZER, Meaning.NEIGHBOUR})
"""What is beside the loss-scale API: it is respelled whatever is done with it."""


@dataclasses.dataclass(frozen=True)
class OldName:
    """One old name.

    Attributes:
        path: Its dotted path, as the file reaches it.
        meaning: What it is.
        new: Paths of what means the same today, the preferred first; empty if nothing does.
        v1: Whether the path is of the `compat.v1` API.
    """

    path: str
    meaning: Meaning
    new: tuple[str, ...] = ()
    v1: bool = False

    @property
    def is_of_keras_3(self) -> bool:
        """Whether it is looked for in the package `keras`, which is Keras 3 today."""
        return self.path.startswith("keras.")

    def new_paths(self, target: Target) -> tuple[str, ...]:
        """Returns the paths of what it becomes, the preferred first; empty if there is none."""
        if target in WITH_KERAS_3:
            return self._keras_3_paths(target)
        if target is Target.TF_KERAS or self.meaning in BESIDE:
            return self.new
        path = _compat_path(self)
        return () if path is None else (path,)

    def _keras_3_paths(self, target: Target) -> tuple[str, ...]:
        if self.path.startswith("tf_keras."):
            return ()  # tf-keras is what the program is to leave.
        if self.meaning is Meaning.OPTIMIZER:
            return loss_scale_optimizers(target, self.path)
        if self.meaning in (Meaning.NEW_OPTIMIZER, Meaning.NEIGHBOUR):
            return self.new
        if self.is_of_keras_3:
            home, _, member = self.path.rpartition(".experimental")
            new = _KERAS_MEMBERS.get(member[1:], ("", None))[1] if member else ""
            return () if new is None else (f"{home}.{new}".rstrip("."),)
        if self.meaning is Meaning.KERAS_OPTIMIZER:
            return tuple(path.replace(".legacy.", ".") for path in self.new)
        return self.new

    def new_path(self, target: Target) -> str | None:
        """Returns the preferred of these paths."""
        return next(iter(self.new_paths(target)), None)


OLD_CLASS_NAMES = frozenset(
    {"LossScaleOptimizer", "LossScaleOptimizerV1", "MixedPrecisionLossScaleOptimizer"}
)
"""What `type(optimizer).__name__` was."""
NEW_OPTIMIZER_MEMBER = "LossScaleOptimizer"
HELPER = "_loss_scale_arguments"
"""The function that is added to a program whose loss scale is known only when it runs."""

_KERAS_MEMBERS = {
    "LossScaleOptimizer": (Meaning.OPTIMIZER, "LossScaleOptimizer"),
    "Policy": (Meaning.POLICY, "Policy"),
    "set_policy": (Meaning.SET_POLICY, "set_global_policy"),
    "global_policy": (Meaning.GLOBAL_POLICY, "global_policy"),
    "get_layer_policy": (Meaning.LAYER_POLICY, None),
    "policy_scope": (Meaning.POLICY_SCOPE, None),
}
_KEPT_PRIVATE = ("autocast_variable", "device_compatibility_check")
"""Private modules that tf-keras has as well."""
_PRIVATE_KERAS_MODULES = ("loss_scale_optimizer", "policy", "get_layer_policy", "loss_scale")
_V1_MEMBERS = {
    "LossScale": Meaning.LOSS_SCALE, "FixedLossScale": Meaning.FIXED,
    "DynamicLossScale": Meaning.DYNAMIC, "MixedPrecisionLossScaleOptimizer": Meaning.V1_OPTIMIZER,
    "enable_mixed_precision_graph_rewrite": Meaning.REWRITE,
    "disable_mixed_precision_graph_rewrite": Meaning.REWRITE_OFF,
}  # fmt: skip
CONTRIB_MEMBERS = frozenset(
    {
        "LossScaleOptimizer",
        "LossScaleManager",
        "FixedLossScaleManager",
        "ExponentialUpdateLossScaleManager",
    }
)
MEMBERS = frozenset({*_KERAS_MEMBERS, *_V1_MEMBERS, *CONTRIB_MEMBERS, "experimental"})
"""The last words of old names."""
_V1_HOME = "tensorflow.compat.v1.mixed_precision"
_V1_HOMES = (_V1_HOME, "tensorflow.compat.v1.compat.v1.mixed_precision")
V1_OPTIMIZER_TODAY = f"{_V1_HOME}.MixedPrecisionLossScaleOptimizer"
"""The path at which the loss-scale optimizer of TensorFlow 1 still is."""
KERAS_3_HOME = "compat_lossscale.keras3"
"""Where the loss scaling for Keras 3 is."""
_COMPAT_HOME = "compat_lossscale.experimental"
_COMPAT_V1_HOME = "compat_lossscale.v1"

_PRIVATE_KERAS = re.compile(r"^tensorflow\.python\.keras\.mixed_precision\.experimental(?=\.|$)")
_PRIVATE_TRAINING = re.compile(
    r"^tensorflow\.python\.training\.experimental\."
    r"(loss_scale|loss_scale_optimizer|mixed_precision)(?=\.|$)"
)


def lookup(path: str) -> OldName | None:
    """Returns the old name at a dotted path, or nothing if there is none."""
    original, path = path, canonical(path)
    for find in (_public_keras, _public_v1, _private, _contrib):
        old = find(path)
        if old is not None:
            return dataclasses.replace(old, path=original)
    return None


def loss_scale_class(path: str) -> str | None:
    """Returns `"FixedLossScale"` or `"DynamicLossScale"` for a path to one of them."""
    old = lookup(path)
    if old is not None and old.meaning in (Meaning.FIXED, Meaning.DYNAMIC):
        return str(old.meaning.value)
    short = canonical(path).removeprefix("tensorflow.compat.v1.mixed_precision.")
    return short if short in {"FixedLossScale", "DynamicLossScale"} else None


def loss_scale_optimizers(target: Target, home: str = "tensorflow") -> tuple[str, ...]:
    """Returns the paths of a target's LossScaleOptimizer; `home` is in the old one's package."""
    if target is Target.KERAS3:
        return (f"{KERAS_3_HOME}.{NEW_OPTIMIZER_MEMBER}",)
    if home.partition(".")[0] == "keras":
        return (f"keras.mixed_precision.{NEW_OPTIMIZER_MEMBER}",)
    return (
        f"tensorflow.keras.mixed_precision.{NEW_OPTIMIZER_MEMBER}",
        f"tensorflow.compat.v1.keras.mixed_precision.{NEW_OPTIMIZER_MEMBER}",
    )


def has_old_members(module: str) -> bool:
    """Whether a module that is still there had members that are gone."""
    return any(lookup(f"{module}.{name}") is not None for name in MEMBERS)


def _public_keras(path: str) -> OldName | None:
    for root, v1 in (
        ("tensorflow.keras", False),
        ("tensorflow.compat.v1.keras", True),
        ("tf_keras", False),
        ("keras", False),
    ):
        module = f"{root}.mixed_precision.experimental"
        if path == module:
            return OldName(path, Meaning.MODULE, _keras_homes(root), v1=v1)
        if path.startswith(module + "."):
            return _keras_member(path, path[len(module) + 1 :], root, v1=v1)
    return None


def _keras_homes(root: str) -> tuple[str, ...]:
    if root == "keras":
        return ()  # Keras 3 has other optimizers, which have another API.
    if root == "tf_keras":
        return ("tf_keras.mixed_precision",)
    # What `tf` reaches if it stands for tensorflow.compat.v1 or v2.
    v2 = "tensorflow.compat.v2.keras.mixed_precision"
    v1_to_v2 = "tensorflow.compat.v1.compat.v2.keras.mixed_precision"
    return ("tensorflow.keras.mixed_precision", v2, v1_to_v2)


def _keras_member(path: str, member: str, root: str, *, v1: bool = False) -> OldName | None:
    if member not in _KERAS_MEMBERS:
        first = member.partition(".")[0]
        if first in _KERAS_MEMBERS or first.startswith("__"):
            return None
        kept = (f"tf_keras.src.mixed_precision.{member}",) if first in _KEPT_PRIVATE else ()
        return OldName(path, Meaning.PRIVATE, kept)
    meaning, new = _KERAS_MEMBERS[member]
    paths: tuple[str, ...] = ()
    if new is not None:
        paths = tuple(f"{home}.{new}" for home in _keras_homes(root))
        if new == NEW_OPTIMIZER_MEMBER and root.startswith("tensorflow"):
            # compat.v1.keras kept this one name only.
            paths += (f"tensorflow.compat.v1.keras.mixed_precision.{new}",)
    return OldName(path, meaning, paths, v1=v1)


def _v1_member(path: str, member: str, *, v1: bool) -> OldName | None:
    name = member.removesuffix("_v1")
    if name not in _V1_MEMBERS:
        return None
    paths = tuple(f"{home}.{name}" for home in _V1_HOMES)
    return OldName(path, _V1_MEMBERS[name], paths, v1=v1)


def _public_v1(path: str) -> OldName | None:
    for root, v1 in (("tensorflow.", False), ("tensorflow.compat.v1.", True)):
        module = f"{root}mixed_precision.experimental"
        if path == module:
            return OldName(path, Meaning.MODULE, _V1_HOMES, v1=v1)
        for home in (module, f"{root}train.experimental"):
            if path.startswith(home + "."):
                return _v1_member(path, path[len(home) + 1 :], v1=v1)
    return None


def _private(path: str) -> OldName | None:
    if match := _PRIVATE_KERAS.match(path):
        rest = [part for part in path[match.end() :].split(".") if part]
        if rest and rest[0] in _PRIVATE_KERAS_MODULES:
            rest = rest[1:]
        if not rest:
            return OldName(path, Meaning.MODULE, _keras_homes("tensorflow.keras"))
        return _keras_member(path, ".".join(rest), "tensorflow.keras")
    if match := _PRIVATE_TRAINING.match(path):
        rest = [part for part in path[match.end() :].split(".") if part]
        if not rest:
            return OldName(path, Meaning.MODULE, _V1_HOMES)
        if rest == ["get"]:
            return OldName(path, Meaning.LOSS_SCALE_GET)
        return _v1_member(path, ".".join(rest), v1=True)
    return None


def _contrib(path: str) -> OldName | None:
    home = "tensorflow.contrib.mixed_precision"
    if path == home or path.startswith(home + ".python"):
        last = path.rsplit(".", 1)[-1]
        if last in CONTRIB_MEMBERS:
            return OldName(path, Meaning.CONTRIB)
        return OldName(path, Meaning.MODULE)
    if path.startswith(home + ".") and path[len(home) + 1 :] in CONTRIB_MEMBERS:
        return OldName(path, Meaning.CONTRIB)
    return None


def _compat_path(old: OldName) -> str | None:
    """Returns where compat_lossscale keeps an old name."""
    if old.is_of_keras_3:
        return None
    if old.meaning is Meaning.MODULE:
        keras = bool(old.new) and ".keras." in f".{old.new[0]}."
        return _COMPAT_HOME if keras else _COMPAT_V1_HOME if old.new else None
    last = old.path.rsplit(".", 1)[-1].removesuffix("_v1")
    if old.meaning in (
        Meaning.CONTRIB,
        Meaning.POLICY_SCOPE,
        Meaning.LOSS_SCALE_GET,
        Meaning.PRIVATE,
    ):
        return None
    home = _COMPAT_HOME if last in _KERAS_MEMBERS else _COMPAT_V1_HOME
    return f"{home}.{last}"


_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_IN_TEXT = (
    (r"mixed_precision\s*(?:\.\s*|\s+import\s+)experimental", r"\b[\w.]*"),
    (r"train\.experimental\.\w*(?:LossScale|mixed_precision)", r"\w*"),
    (r"contrib\.mixed_precision", r"\b[\w.]*"),
    (r"enable_mixed_precision_graph_rewrite", r"\b"),
    (r"FixedLossScale", r"\b"),
    (r"DynamicLossScale", r"\b"),
)
# From the start of a word alone: the time is linear in the length of a hostile string.
_OLD_IN_TEXT = re.compile("|".join(rf"(?<![\w.])[\w.]*\b{old}{rest}" for old, rest in _IN_TEXT))
_SIGNS_OF_OLD = tuple(re.compile(old) for old, _ in _IN_TEXT)


def is_old_path(text: str) -> bool:
    """Whether a string is the path of an old name, or of a member of one, and nothing else.

    A colon can stand before the member, as in `pkgutil.resolve_name("package.module:member")`.
    """
    text = text.replace(":", ".", 1)
    if not _PATH.fullmatch(text):
        return False
    return lookup(text) is not None or lookup(text.rpartition(".")[0]) is not None


def is_unresolved_old_name(suffix: str) -> bool:
    """Whether a dotted name would be an old one if its root were TensorFlow."""
    return bool(
        re.search(
            r"(?:^|\.)keras\.mixed_precision\.experimental(?:\.|$)"
            r"|(?:^|\.)train\.experimental\.(?:\w*LossScale\w*|\w+_mixed_precision_graph_rewrite)$"
            r"|(?:^|\.)mixed_precision\.experimental\.\w*(?:LossScale|[pP]olicy)\w*$"
            r"|\.experimental\.(?:set_policy|get_layer_policy|\w*LossScale\w*)$",
            suffix,
        )
    )


def is_lazy_contrib_name(function: str, member: str) -> bool:
    """Whether a member of what a function returns reads like one of contrib's names."""
    if member not in CONTRIB_MEMBERS or not function.endswith("mixed_precision"):
        return False
    return member.endswith("Manager") or "contrib" in function


def may_mention_old_name(text: str) -> bool:
    """Whether there may be an old name in a text, such as a comment; quick to tell."""
    return any(sign.search(text) for sign in _SIGNS_OF_OLD)


def mentions_of_old_names(text: str) -> Iterator[re.Match[str]]:
    """Yields the places in a comment or a string at which an old name occurs."""
    return _OLD_IN_TEXT.finditer(text) if may_mention_old_name(text) else iter(())
