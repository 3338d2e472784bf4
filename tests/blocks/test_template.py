"""Templates: what they can do, what they cannot reach, what they may use up (security:S7)."""

import tracemalloc
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilothouse.blocks.template import TemplateFault, render
from pilothouse.kit.json import Json, JsonObject

VALUES: JsonObject = {
    "name": "Ada",
    "letters": ["a", "b"],
    "row": {"a": 1, "copy": "mine", "_id": 7},
    "tree": [{"n": 1, "c": [{"n": 2, "c": []}]}],
}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Hi {{ name }}", "Hi Ada"),
        ("{{ letters | join(', ') }}", "a, b"),
        ("{% for x in letters %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}", "1a,2b"),
        ("{% set n = namespace(t=0) %}{% for i in range(5) %}{% set n.t = n.t + i %}{% endfor %}{{ n.t }}", "10"),
        ("{{ row.a }} {{ row['a'] }} {{ row.get('z', 'no') }} {{ row.copy }}", "1 1 no mine"),
        ("{% for k, v in row.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;copy=mine;_id=7;"),
        ("{{ 'a' ~ 1 ~ letters }}", "a1['a', 'b']"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) }}{{ m('b') }}", "<1><b>"),
        ("{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}x{% endcall %}", "[x]"),
        ("{{ name.upper() }} {{ ','.join(letters) }} {{ name.replace('A', 'E') }}", "ADA a,b Eda"),
        ("{{ '{}-{:>3}'.format(1, 2) }} {{ '%05d' % 3 }} {{ '%s!' | format(name) }}", "1-  2 00003 Ada!"),
        ("{{ letters | map('upper') | list }} {{ [3, 1] | sort | tojson }}", "['A', 'B'] [1, 3]"),
        ("{{ missing }}{{ missing | default('z') }}{{ missing is defined }}", "zFalse"),
        ("{% for i in tree recursive %}{{ i.n }}{{ loop(i.c) if i.c }}{% endfor %}", "12"),
        ("{%- set x %}hey {{ name }}{% endset -%}{{ x | upper }}", "HEY ADA"),
        (
            "{{ 2 ** 10 }} {{ 7 // 2 }} {{ 7 % 4 }} {{ 'ab' * 2 }} {{ letters[0] }} {{ letters[-1] }}",
            "1024 3 3 abab a b",
        ),
        (
            "{% for g in [{'k': 1}, {'k': 2}, {'k': 1}]|groupby('k') %}{{g.grouper}}:{{g.list|length}} {% endfor %}",
            "1:2 2:1 ",
        ),
        ("{% set c = cycler('o', 'e') %}{{ c.next() }}{{ c.next() }}", "oe"),
        ("{% block b %}x{% endblock %}{{ self.b() }}", "xx"),
        ("{{ name | replace('A', 'b') | center(5) | trim }} {{ 'a b' | title }} {{ 1.26 | round(1) }}", "bda A B 1.3"),
        ("{{ row._id }}", "7"),
        ("line\n", "line\n"),
    ],
)
def test_the_usual_things_work(source: str, text: str):
    assert render(source, VALUES) == text


def test_html_is_escaped_when_asked_for():
    assert render("{{ x }}<i>", {"x": "<b>"}) == "<b><i>"
    assert render("{{ x }}<i>", {"x": "<b>"}, escape_html=True) == "&lt;b&gt;<i>"
    assert render("{{ x | safe }}", {"x": "<b>"}, escape_html=True) == "<b>"
    assert render("{{ x ~ '!' }}", {"x": "<b>"}, escape_html=True) == "&lt;b&gt;!"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{{ name", "line 1"),
        ("{{ 1 / 0 }}", "zero"),
        ("{{ missing.x }}", "undefined"),
        ("{{ 'a' + 1 }}", "failed"),
        ("{% include 'x' %}", "template"),
        ("{{ x | nope }}", "nope"),
    ],
)
def test_a_fault_says_what_is_wrong(source: str, words: str):
    with pytest.raises(TemplateFault, match=words):
        render(source, VALUES)


ESCAPES = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ [].__class__.__base__ }}",
    "{{ letters.append('x') }}",
    "{{ letters.sort() }}",
    "{{ row.update({'a': 2}) }}",
    "{{ row.pop('a') }}",
    "{{ ''|attr('__class__') }}",
    "{{ letters | map(attribute='__class__') | list }}",
    "{{ [[]] | map(attribute='__class__.__base__') | list }}",
    "{{ [''] | groupby('__class__') }}",
    "{{ [''] | sort(attribute='__class__') }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ '{0.__class__.__mro__}'.format('') }}",
    "{{ '%s' | format(range) }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ self.__dict__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ loop }}{% for x in [1] %}{{ loop.__class__ }}{% endfor %}",
    "{% for x in [1] %}{{ loop._iterator }}{% endfor %}",
    "{% for x in [1] %}{{ loop }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m.__globals__ }}",
    "{% macro m() %}{% endmacro %}{{ m._func }}",
    "{% macro m() %}{% endmacro %}{{ m }}",
    "{{ range }}",
    "{{ namespace }}",
    "{{ dict.fromkeys }}",
    "{{ dict.mro() }}",
    "{{ ''.join }}",
    "{{ ''.join | string }}",
    "{{ [''.join] }}",
    "{{ namespace(a=1) }}",
    "{{ [[namespace(a=1)]] }}",
    "{{ (1).__class__ }}",
    "{{ (1).real }}{{ 1.0.hex }}",
    "{{ name.encode() }}",
    "{{ ''.maketrans('a', 'b') }}",
    "{{ lipsum() }}",
    "{{ config }}{{ config.items() }}",
    "{{ request.application.__globals__ }}",
    "{{ x.__init__ }}",
    "{% set x = namespace() %}{% set x.__class__ = 1 %}",
    "{{ [1, 2] | random }}",
    "{{ caller }}",
    "{{ varargs }}{{ kwargs }}",
    "{% import 'os' as os %}",
    "{% extends 'x' %}",
]
LEAKS = ("class", "object at", "function", "built-in", "globals", "<module", "Namespace", "jinja2", "range")


@pytest.mark.security
@pytest.mark.parametrize("source", ESCAPES)
def test_no_attribute_of_a_host_object_can_be_reached(source: str):
    before = dict(VALUES)
    try:
        text = render(source, VALUES)
    except TemplateFault:
        text = ""
    assert not any(word in text for word in LEAKS), text
    assert before == VALUES
    assert VALUES["letters"] == ["a", "b"]
    assert VALUES["row"] == {"a": 1, "copy": "mine", "_id": 7}


DOUBLING = "{% set n = namespace(x=START) %}{% for i in range(200) %}{% set n.x = STEP %}{% endfor %}{{ n.x | length }}"


def doubling(start: str, step: str) -> str:
    return DOUBLING.replace("START", start).replace("STEP", step)


GREEDY = [
    "{{ 'a' * 10 ** 9 }}",
    "{{ [0] * 10 ** 9 }}",
    "{{ 9 ** (9 ** 9) }}",
    "{{ ('ab' * 99999) | join('b' * 9999) }}",
    "{{ ('%s' * 9999) % (['a' * 9999] * 9999) }}",
    "{{ ('%(a)s' * 9999) % {'a': 'a' * 9999} }}",
    "{{ ('{0}' * 9999).format('a' * 9999) }}",
    "{{ ('a ' * 7000000).split() | length }}",
    "{{ ('a' * 15000000) | list | length }}",
    "{{ 9 ** 99999 }}",
    "{{ (10 ** 1000) * (10 ** 1000) }}",
    "{{ 'a' | center(10 ** 9) }}",
    "{{ 'a'.center(1000000000) }}",
    "{{ 'a'.ljust(width) }}",
    "{{ 'a'.zfill(1000000000) }}",
    "{{ '\\t'.expandtabs(1000000000) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '%*d' % (1000000000, 1) }}",
    "{{ '%.1000000000f' % 1 }}",
    "{{ '%1000000000d' | format(1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ '{:{}}'.format(1, 1000000000) }}",
    "{{ 'a' | indent(1000000000, true) }}",
    "{{ ('\n' * 90000) | indent('x' * 90000) }}",
    "{{ 'a' | wordwrap(1, true, 'x' * 100000000) }}",
    "{{ ('a ' * 40000) | wordwrap(1, true, 'x' * 9999) }}",
    "{{ [1] | batch(1000000000, 0) | list }}",
    "{{ [1] | slice(1000000000) | list }}",
    "{{ 1.5 | round(1000000000, 'ceil') }}",
    "{{ ('a' * 9999) | replace('a', 'b' * 9999) }}",
    "{{ ('a' * 9999).replace('a', 'b' * 9999) }}",
    "{{ (['a' * 9999] * 9999) | join }}",
    "{{ ''.join(['a' * 9999] * 9999) }}",
    "{{ [1] | tojson(indent=1000000000) }}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) %}" + "x" * 1000 + "{% endfor %}",
    "{% set t %}{% for i in range(99999) %}" + "x" * 5000 + "{% endfor %}{% endset %}{{ t | length }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% for x in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "{% block b %}{{ self.b() }}{{ self.b() }}{% endblock %}",
    "{{ range(10 ** 9) | list }}",
    "{{ range(10 ** 9) | sum }}",
    doubling("'a'", "n.x ~ n.x"),
    doubling("'a'", "n.x + n.x"),
    doubling("'a'", "n.x * 2"),
    doubling("'ab'", "n.x | replace('a', 'aab')"),
    doubling("'a'", "'%s%s' % (n.x, n.x)"),
    doubling("'a'", "'{0}{0}'.format(n.x)"),
    doubling("'a'", "n.x | map('string') | list | string"),
    doubling("[1]", "[n.x, n.x]"),
    doubling("[1]", "n.x + n.x"),
    doubling("[1]", "{'a': n.x, 'b': n.x}"),
    doubling("[1]", "dict(a=n.x, b=n.x)"),
    doubling("[1]", "[n.x, n.x] | tojson"),
    "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set n.a = [n.a, n.a] %}"
    "{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
    "{% set n = namespace(a=1) %}{% for i in range(60) %}{% set n.a = namespace(l=n.a, r=n.a) %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=1) %}{% for i in range(60) %}{% set n.a = [namespace(l=n.a, r=n.a)] %}{% endfor %}{{n.a}}",
    "{{ big | urlize }}",
    "{{ big | striptags }}",
    "{{ big | title }}",
    "{{ 1" + " + 1" * 4000 + " }}",
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{{ " + "[" * 500 + "]" * 500 + " }}",
    "{% if 1 %}" * 500 + "{% endif %}" * 500,
    "{{ 1 }}" * 30_000,
    "x" * 1_000_001,
]


@pytest.mark.security
@pytest.mark.parametrize("source", GREEDY, ids=range(len(GREEDY)))
def test_a_greedy_template_is_stopped_in_time_and_memory(source: str):
    values: dict[str, Json] = {"width": 10**9, "big": "<a http://a.b " * 100_000}
    tracemalloc.start()
    started = process_time()
    try:
        with pytest.raises(TemplateFault):
            render(source, values)
        used = process_time() - started
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 1.5, "100 ms of rendering, compiling, and the cost of tracing memory"
    assert peak < 80_000_000


PIECES = st.sampled_from(
    """
    X; Y; 'a'; [X, Y]; {'k': X}; 3; 99999; X ~ Y; X * Y; X + Y; X ** Y; X | string; X | list; X | center(Y);
    X | replace('a', Y); X | join(Y); X.format(Y); X % Y; [X] * 99; X | tojson; X[Y]; X | batch(Y) | list;
    X | indent(Y); range(Y) | list; X.upper(); X | map('upper') | list; X == Y; X.split("a"); X | wordwrap(Y);
    X | sum(start=[]); X | escape; X | length; X.replace('a', Y); Y.join(X); X | reverse;
    X | sort | unique | list; '%s%s' | format(X, Y)
    """.replace("\n", " ").split(";")
)


@pytest.mark.security
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from("xy"), PIECES), max_size=8), st.integers(1, 40))
def test_no_mix_of_operations_escapes_the_bounds(steps: list[tuple[str, str]], times: int):
    body = "".join(f"{{% set n.{target} = {piece} %}}" for target, piece in steps)
    body = body.replace("X", "n.x").replace("Y", "n.y")
    source = f"{{% set n = namespace(x='ab', y=7) %}}{{% for i in range({times}) %}}{body}{{% endfor %}}{{{{ n.x }}}}"
    started = process_time()
    try:
        text = render(source, {})
    except TemplateFault:
        text = ""
    assert len(text) <= 16_000_000
    assert process_time() - started < 1.0
