# SPDX-License-Identifier: Apache-2.0
"""What a program means to Python: scopes, names, values, and the files of a project."""

from lossscale_codemods.python.name_resolution import (
    ClassMembers,
    Definition,
    Lookup,
    Modules,
    ProjectClass,
    Resolver,
    all_bindings,
    decorators,
    lookup_of,
    others_name,
    outside,
    words_in,
)
from lossscale_codemods.python.project_files import ProjectFiles, is_top
from lossscale_codemods.python.scopes import (
    Binding,
    BindingKind,
    Scope,
    class_of_self,
    import_path,
    imported,
    leaves_block,
    member_path,
    scopes_in,
    scopes_of,
)
