"""`pilothouse credential`: kept from the command line with what is secret on standard input, and told by no answer."""

import pytest

from tests.app.commands import Cli

SECRET = "canary-0123456789-abcd"


@pytest.mark.parametrize(
    ("words", "said", "shown"),
    [
        (("api_key", "--provider", "github"), SECRET, {"provider": "github", "hint": "abcd"}),
        (("user_password", "--provider", "smtp", "--username", "ann"), SECRET, {"username": "ann"}),
        (
            ("host_scoped", "--host", "api.example.com", "--header", "X-One", "--header", "X-Two"),
            f"{SECRET}\n{SECRET}",
            {"host": "api.example.com", "header_names": ["X-One", "X-Two"]},
        ),
    ],
    ids=["api_key", "user_password", "host_scoped"],
)
def test_a_credential_of_each_type_is_kept_listed_and_forgotten(
    cli: Cli, words: tuple[str, ...], said: str, shown: dict[str, object]
):
    assert cli("user", "create", "ann@example.com", "--password-stdin", said="correct horse battery\n").code == 0
    mine = ("--user", "ann@example.com")
    added = cli("credential", "add", *words, "--title", "Mine", "--secret-stdin", *mine, said=f"{said}\n")
    assert added.code == 0, added.err
    listed = cli("credential", "list", "--json", *mine, OPENAI_API_KEY="sk-canary")
    (found, system) = listed.json()
    assert found["id"] == added.out.strip()
    assert {name: found[name] for name in shown} == shown
    assert system["id"] == "system:openai"
    assert "canary" not in listed.out + added.out + added.err
    assert cli("credential", "remove", found["id"], *mine).code == 0
    gone = cli("credential", "remove", found["id"], *mine)
    assert (gone.code, "canary" in gone.err) == (1, False)


def test_a_wrong_call_says_what_is_wrong_and_no_secret(cli: Cli):
    add = ("credential", "add")
    wrong = [
        cli(*add, "telepathy", "--title", "x", "--secret-stdin", said=f"{SECRET}\n"),
        cli(*add, "host_scoped", "--title", "x", "--host", "http://x", "--header", "A", "--secret-stdin", said=SECRET),
        cli(*add, "api_key", "--title", "x", "--secret-stdin", said=f"{SECRET}\n"),
        cli(*add, "api_key", "--title", "x", "--provider", "github"),
    ]
    assert [each.code for each in wrong] == [2, 2, 2, 2]
    told = zip(("type", "host", "provider", "--secret-stdin"), wrong, strict=True)
    assert all(word in each.err for word, each in told)
    assert not any(SECRET in each.err + each.out for each in wrong)
