# SPDX-License-Identifier: Apache-2.0
"""Second pass over a file's names: which bindings can have reached each place that reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import (
    BindingKind,
    Environment,
    Scope,
)
from lossscale_codemods.analysis.expression_reads import ExpressionReads
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.narrowing import (
    asserted,
    catches,
    matched,
    merge,
    narrowings,
)
from lossscale_codemods.analysis.syntax_tree import children

if TYPE_CHECKING:
    pass


class ReachingDefinitions(ExpressionReads):
    """The second pass."""

    def run(self) -> None:
        """Fills in what reaches each read."""
        self._block(self.tree.module.body, {}, self.scopes.module)
        while self.pending:
            node, scope = self.pending.pop()
            environment = {
                name: frozenset(b for b in bindings if b.kind is BindingKind.PARAMETER)
                for name, bindings in scope.bindings.items()
                if any(b.kind is BindingKind.PARAMETER for b in bindings)
            }
            if isinstance(node, cst.Lambda):
                self.expression(node.body, environment, scope)
            elif isinstance(node, cst.FunctionDef):
                self._suite(node.body, environment, scope)

    def _suite(
        self, body: cst.BaseSuite, environment: Environment, scope: Scope
    ) -> Environment | None:
        if isinstance(body, cst.SimpleStatementSuite):
            return self._simple(body, environment, scope)
        return self._block(body.body, environment, scope)

    def _block(self, body: object, environment: Environment, scope: Scope) -> Environment | None:
        current = dict(environment)
        left = False
        for statement in body:  # type: ignore[attr-defined]  # the caller has asked for its kind
            # Unreachable code is still read, with what was known before it.
            after = self._statement(statement, current, scope)
            left = left or after is None
            current = after if after is not None else current
        return None if left else current

    def _simple(
        self,
        line: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        environment: Environment,
        scope: Scope,
    ) -> Environment | None:
        left = False
        for small in line.body:
            self._small(small, environment, scope)
            left = left or isinstance(small, cst.Return | cst.Raise | cst.Continue | cst.Break)
        return None if left else environment

    def _small(self, node: cst.BaseSmallStatement, env: Environment, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        if isinstance(node, cst.Assign):
            self.expression(node.value, env, scope)
            for target in node.targets:
                self.assign(target.target, env, scope)
        elif isinstance(node, cst.AnnAssign):
            self.expression(node.annotation.annotation, env, scope)
            if node.value is not None:
                self.expression(node.value, env, scope)
                self.assign(node.target, env, scope)
        elif isinstance(node, cst.AugAssign):
            self.expression(node.value, env, scope)
            self.expression(node.target, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Import | cst.ImportFrom):
            if isinstance(node.names, cst.ImportStar):
                return
            for alias in node.names:
                self.bind_at(alias, env, scope)
        elif isinstance(node, cst.Del):
            self.expression(node.target, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Global | cst.Nonlocal):
            return
        elif isinstance(node, cst.Assert):
            self.expression(node.test, env, scope)
            if node.msg is not None:
                self.expression(node.msg, env, scope)
            env.update(narrowings(node.test, True, scope))
        elif isinstance(node, cst.Expr):
            self.expression(node.value, env, scope)
            env.update(asserted(node.value, scope))
        elif isinstance(node, cst.TypeAlias):
            self.expression(node.value, env, scope)
            self.assign(node.name, env, scope)
        else:
            for child in children(node):
                self.expression(child, env, scope)

    def _statement(self, node: cst.CSTNode, env: Environment, scope: Scope) -> Environment | None:
        if isinstance(node, cst.SimpleStatementLine):
            return self._simple(node, env, scope)
        if isinstance(node, cst.If):
            return self._if_(node, env, scope)
        if isinstance(node, cst.For | cst.While):
            return self._loop(node, env, scope)
        if isinstance(node, cst.Try | cst.TryStar):
            return self._try_(node, env, scope)
        if isinstance(node, cst.With):
            for item in node.items:
                self.expression(item.item, env, scope)
                if item.asname is not None:
                    self.assign(item.asname.name, env, scope)
            after = self._suite(node.body, dict(env), scope)
            # Where an exception ends the block and nothing else, what follows sees a part of it.
            return merge(after, self._with_all_of(node.body, env)) if catches(node) else after
        if isinstance(node, cst.FunctionDef):
            self._signature(node, env, scope)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.ClassDef):
            for part in (*node.decorators, *node.bases, *node.keywords):
                self.expression(part, env, scope)
            inner = self.scopes.of_node[node]
            self._suite(node.body, {}, inner)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.Match):
            return self._match(node, env, scope)
        return env

    def _signature(self, node: cst.FunctionDef, env: Environment, scope: Scope) -> None:
        for decorator in node.decorators:
            self.expression(decorator, env, scope)
        self.parameters(node.params, env, scope)
        if node.returns is not None:
            self.expression(node.returns.annotation, env, scope)
        self.pending.append((node, self.scopes.of_node[node]))

    def _if_(self, node: cst.If, env: Environment, scope: Scope) -> Environment | None:
        self.expression(node.test, env, scope)
        yes, no = dict(env), dict(env)
        yes.update(narrowings(node.test, True, scope))
        no.update(narrowings(node.test, False, scope))
        after_yes = self._suite(node.body, yes, scope)
        if isinstance(node.orelse, cst.If):
            after_no = self._if_(node.orelse, no, scope)
        elif node.orelse is not None:
            after_no = self._suite(node.orelse.body, no, scope)
        else:
            after_no = no
        return merge(after_yes, after_no)

    def _loop(
        self, node: cst.For | cst.While, env: Environment, scope: Scope
    ) -> Environment | None:
        if isinstance(node, cst.For):
            self.expression(node.iter, env, scope)
        head = self._with_all_of(node, env)
        if isinstance(node, cst.For):
            self.assign(node.target, head, scope)
        else:
            self.expression(node.test, head, scope)
        inside = dict(head)
        if isinstance(node, cst.While):
            inside.update(narrowings(node.test, True, scope))
        self._suite(node.body, inside, scope)
        after: Environment | None = dict(head)
        if node.orelse is not None:
            after = merge(after, self._suite(node.orelse.body, dict(head), scope))
        return after

    def _try_(
        self, node: cst.Try | cst.TryStar, env: Environment, scope: Scope
    ) -> Environment | None:
        after = self._suite(node.body, dict(env), scope)
        anywhere = self._with_all_of(node.body, env)
        if node.orelse is not None and after is not None:
            after = self._suite(node.orelse.body, after, scope)
        for handler in node.handlers:
            inside = dict(anywhere)
            if handler.type is not None:
                self.expression(handler.type, inside, scope)
            if handler.name is not None:
                self.assign(handler.name.name, inside, scope)
            after = merge(after, self._suite(handler.body, inside, scope))
        if node.finalbody is not None:
            # The body of `finally` also runs on the way out of a failed handler.
            self._suite(node.finalbody.body, self._with_all_of(node, env), scope)
            if after is not None:
                for binding in self.bindings_in(node.finalbody):
                    after[binding.name] = frozenset([binding])
        return after

    def _match(self, node: cst.Match, env: Environment, scope: Scope) -> Environment | None:
        self.expression(node.subject, env, scope)
        after: Environment | None = dict(env)
        for case in node.cases:
            inside = {**env, **matched(node.subject, case.pattern, scope)}
            for child in self.tree.walk(case.pattern):
                self.bind_at(child, inside, scope)
                if isinstance(child, cst.MatchValue | cst.MatchClass):
                    self.expression(
                        getattr(child, "value", getattr(child, "cls", child)), env, scope
                    )
            for binding in self.bindings_in(case.pattern):
                inside[binding.name] = frozenset([binding])
            if case.guard is not None:
                self.expression(case.guard, inside, scope)
            after = merge(after, self._suite(case.body, inside, scope))
        return after

    def _with_all_of(self, node: cst.CSTNode, env: Environment) -> Environment:
        """Returns `env` with everything that `node` binds anywhere added."""
        result = dict(env)
        for binding in self.bindings_in(node):
            if "." in binding.name:
                result.pop(binding.name, None)
            else:
                result[binding.name] = result.get(binding.name, frozenset()) | {binding}
        return result
