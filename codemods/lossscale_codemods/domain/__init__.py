# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow makes of a program. Rules and later rooms see it through these names."""

from lossscale_codemods.domain.loss_scale_values import (
    Evaluator,
    LossScaleType,
    LossScaleTypes,
    UnknownAtomError,
    constant_or_none,
    parse_expression,
)
from lossscale_codemods.domain.name_rendering import CannotRenderError, NameRenderer, from_imports
from lossscale_codemods.domain.program import BESIDE, Occurrence, Program, Role, Usage
from lossscale_codemods.domain.type_inference import ObjectType, optimizer_argument
from lossscale_codemods.domain.version_guards import (
    Guard,
    guarded,
    is_for_old_versions,
    is_part_of_old,
    uses_old_api,
)
from lossscale_codemods.domain.version_values import catches_error
from lossscale_codemods.domain.what_is import (
    ATTRIBUTES,
    KERAS_WRAPPER,
    Answer,
    Certainty,
    Compile,
    attribute_owner,
    is_handed_on,
    kept_compiles,
    keras_optimizer,
    looks_like_settings,
    loss_scale_optimizer,
    makes_optimizers,
    may_be_text,
    model_compile,
    model_compiles,
    optimizer_kinds,
    what_is,
)
from lossscale_codemods.python import (
    Binding,
    BindingKind,
    Definition,
    Lookup,
    ProjectClass,
    ProjectFiles,
    Resolver,
    Scope,
    all_bindings,
    import_path,
    imported,
    is_top,
    leaves_block,
    lookup_of,
    member_path,
    others_name,
    scopes_in,
    words_in,
)
