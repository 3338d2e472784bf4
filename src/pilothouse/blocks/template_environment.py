"""The Jinja environment of agents' templates: an allow list of attributes, and a price on every operation."""

from collections.abc import Callable
from types import BuiltinMethodType
from typing import Any, cast

from jinja2 import Undefined, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import BlockReference, Context, LoopContext, TemplateReference
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, Namespace
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from pilothouse.blocks.template_bounds import STRING_METHODS, budget, check_binop, check_format, expect, made
from pilothouse.blocks.template_filters import DROPPED, charge, joined, only_values, priced_filter, ticking_test


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TEXT_METHODS = _words("""
    capitalize casefold center count endswith expandtabs find format index isalnum isalpha isascii isdecimal isdigit
    isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix
    removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title
    upper zfill
""")
LOOP_FIELDS = _words("""
    index index0 revindex revindex0 first last length previtem nextitem depth depth0 cycle changed
""")
ALLOWED: list[tuple[type, frozenset[str]]] = [
    (str, TEXT_METHODS),
    (dict, frozenset({"items", "keys", "values", "get"})),
    (tuple, frozenset({"count", "index", "grouper", "list"})),
    (list, frozenset({"count", "index"})),
    (LoopContext, LOOP_FIELDS),
    (Cycler, frozenset({"current", "next", "reset"})),
    (BlockReference, frozenset({"super"})),
]


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Sees JSON values, text methods and Jinja's own loop helpers; nothing else has attributes here."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, *, escape_html: bool) -> None:
        super().__init__(autoescape=escape_html, finalize=_finalize, optimized=False, keep_trailing_newline=True)
        del self.globals["lipsum"]
        self.filters = {name: priced_filter(name, apply) for name, apply in self.filters.items() if name not in DROPPED}
        self.filters |= {"made!": made, "charge!": charge, "joined!": joined}
        self.tests = {name: ticking_test(test) for name, test in self.tests.items()}

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)  # says what is undefined
        if attribute.startswith("_") and not self._is_key(obj, attribute):
            raise SecurityError(f"{attribute!r} may not be used in a template")
        if isinstance(obj, Namespace):
            return self._namespace_item(obj, attribute)
        for kind, names in ALLOWED:
            if isinstance(obj, kind) and attribute in names and hasattr(obj, attribute):
                return self._method(obj, attribute)
        return self._item(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Undefined):
            return obj[argument]
        found = self._item(obj, argument)
        if isinstance(found, Undefined) and isinstance(argument, str) and not isinstance(obj, dict):
            return self.getattr(obj, str(argument))
        return found

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        budget().tick()
        if isinstance(__obj, BuiltinMethodType) and isinstance(__obj.__self__, str):
            if __obj.__name__ == "join":
                return joined(args[0], __obj.__self__)
            check = STRING_METHODS.get(__obj.__name__)
            if check:
                check(__obj.__self__, *args, **kwargs)
        return made(super().call(__context, __obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        check_binop(operator, left, right)
        result = super().call_binop(context, operator, left, right)
        return result if operator == "+" else made(result)  # `+` was charged as the shallow copy it is

    def _method(self, obj: Any, attribute: str) -> Any:
        found = getattr(obj, attribute)
        if isinstance(obj, str) and attribute == "format":
            apply = cast(Callable[..., str], self.wrap_str_format(found))

            def formatted(*args: object, **kwargs: object) -> str:
                check_format(obj, args, kwargs)
                return apply(*args, **kwargs)

            return formatted
        return found

    def _namespace_item(self, obj: Namespace, attribute: str) -> Any:
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return self.undefined(obj=obj, name=attribute)

    def _is_key(self, obj: object, attribute: str) -> bool:
        return isinstance(obj, dict) and attribute in obj

    def _item(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, str | list | tuple | dict | range | TemplateReference):
            try:
                return obj[argument]  # pyright: ignore[reportUnknownVariableType, reportCallIssue, reportArgumentType]
            except (LookupError, TypeError):
                pass
        return self.undefined(obj=obj, name=argument)


@pass_context
def _finalize(context: Context, value: object) -> str:
    """What `{{ … }}` writes: values only, never the host's own objects."""
    if not isinstance(value, str):
        only_values(value)
        made(value)
        value = str(value)
    if context.eval_ctx.autoescape and not isinstance(value, Markup):
        expect(len(value) * 6)
        value = escape(value)
    budget().charge(len(value))
    return value


class _Pricing(NodeTransformer):
    """Rewrites a parsed template so that loops, macros, joins and literals pay too."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        return self._with_toll(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        return self._with_toll(node)

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:
        return self._with_toll(node)

    def visit_Block(self, node: nodes.Block) -> nodes.Node:
        return self._with_toll(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "joined!")

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return _filtered(self.generic_visit(node), "made!")

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return _filtered(self.generic_visit(node), "made!")

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return node if node.ctx == "store" else _filtered(node, "made!")

    def _with_toll(self, node: nodes.For | nodes.Macro | nodes.CallBlock | nodes.Block) -> nodes.Node:
        text = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        self.generic_visit(node)
        toll = nodes.ExprStmt(_filtered(nodes.Const(text, lineno=node.lineno), "charge!"), lineno=node.lineno)
        node.body.insert(0, toll)
        return node


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def bound(tree: nodes.Template, environment: BoundedEnvironment) -> nodes.Template:
    """The same template with its loops, macros, joins and literals priced."""
    priced = cast(nodes.Template, _Pricing().visit(tree))
    return priced.set_environment(environment)  # pyright: ignore[reportReturnType]
