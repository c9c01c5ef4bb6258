# SPDX-License-Identifier: Apache-2.0
"""What a program means to Python: scopes, names, values, and the files of a project."""

from lossscale_codemods.python.lookups import Lookup, lookup_of
from lossscale_codemods.python.modules import (
    ClassMembers,
    Definition,
    Modules,
    ProjectClass,
    all_bindings,
    decorators,
    others_name,
    words_in,
)
from lossscale_codemods.python.name_resolution import Resolver, outside
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
