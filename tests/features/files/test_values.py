"""What files hold, as values: YAML without anchors and tags, and the shape that a field asks for."""

import pytest

from pilothouse.features.files.errors import ReferenceInvalid
from pilothouse.features.files.parsing import NotParsable, Wanted, parsed
from pilothouse.features.files.paths import checked_place
from pilothouse.features.files.references import read_reference
from pilothouse.features.files.yaml_values import YamlRefused, read_yaml
from pilothouse.kit.json import Json

ID = "01900000-0000-7000-8000-000000000000"
TOML = 'title = "x"\n[[rows]]\na = 1\nb = "x"\n[[rows]]\na = 2\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 'y', 2.5, true, null]", {"a": 1, "b": ["x", "y", 2.5, True, None]}),
        ("- a\n- b: {c: d}", ["a", {"b": {"c": "d"}}]),
        ("a: '1'\nb: no\nc: 1e3\nd: 0o7", {"a": "1", "b": "no", "c": 1000.0, "d": "0o7"}),
        ("1: x", {"1": "x"}),
        ("|\n a\n b\n", "a\nb\n"),
        ("", None),
    ],
)
def test_ref_4_yaml_is_read_as_plain_data(text: str, value: Json):
    assert read_yaml(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x",
        "a: &x 1",
        "!!python/object/apply:os.system ['true']",
        "a: !!str 1",
        "--- 1\n--- 2",
        "[" * 200 + "]" * 200,
        "? [a]\n: b",
        "a: [",
        "\0",
    ],
)
def test_ref_4_yaml_that_is_more_than_data_is_refused(text: str):
    with pytest.raises(YamlRefused):
        read_yaml(text)


@pytest.mark.parametrize(
    ("name", "text", "wanted", "value"),
    [
        ("a.json", '{"a": [1]}', "object", {"a": [1]}),
        ("a.yaml", "a: 1", "object", {"a": 1}),
        ("a.toml", TOML, "object", {"title": "x", "rows": [{"a": 1, "b": "x"}, {"a": 2}]}),
        ("a.toml", TOML, "list", [{"a": 1, "b": "x"}, {"a": 2}]),
        ("a.toml", TOML, "rows", [["a", "b"], [1, "x"], [2, None]]),
        ("a.toml", "at = 2026-01-31", "object", {"at": "2026-01-31"}),
        ("a.csv", "a,b\n1,2", "list", [{"a": "1", "b": "2"}]),
        ("a.csv", "a,b\n1,2", "rows", [["a", "b"], ["1", "2"]]),
        ("a", "[1]", "list", [1]),
    ],
)
def test_ref_4_a_field_gets_the_shape_that_it_asks_for(name: str, text: str, wanted: Wanted, value: Json):
    assert parsed(text, name, "text/plain", wanted) == value


@pytest.mark.parametrize(
    ("name", "text", "wanted"), [("a.json", "[1]", "object"), ("a.json", "{", "list"), ("a.toml", "a = 1", "list")]
)
def test_ref_4_what_does_not_fit_is_said(name: str, text: str, wanted: Wanted):
    with pytest.raises(NotParsable):
        parsed(text, name, "text/plain", wanted)


def test_ref_1_references_name_an_id_or_a_path():
    assert read_reference(f"workspace://{ID}") == ID
    assert read_reference(f"workspace://{ID}#text/html") == ID
    assert read_reference("workspace:///a%20b/%C3%A4.txt") == checked_place("/a b/ä.txt")


@pytest.mark.parametrize(
    "text",
    [
        *("", "workspace://", "workspace:///", "workspace://a.txt", f"workspace://{ID[:-1]}A", f"x{ID}", "/a.txt"),
        *(
            "workspace:///../x",
            "workspace:///a%2F..%2Fb",
            "workspace:///%ff",
            "workspace:///%zz",
            f"workspace://{ID}/x",
        ),
        *("workspace:///a%00b", "workspace:///a%5cb", "\ud800"),
    ],
)
def test_ref_1_everything_else_is_no_reference(text: str):
    with pytest.raises(ReferenceInvalid) as refused:
        read_reference(text)
    assert refused.value.code == "invalid_reference"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "a: 1e999"),
        ("a.toml", "a = inf"),
        ("a.toml", "a = nan"),
        ("a.toml", "a = 123456789012345678901234567890"),
        ("a.json", '{"a": ' + "[" * 120 + "]" * 120 + "}"),
    ],
)
def test_ref_4_what_json_cannot_say_is_refused(name: str, text: str):
    with pytest.raises(NotParsable):
        parsed(text, name, "", "object")
