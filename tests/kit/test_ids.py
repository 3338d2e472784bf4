"""Ids that are the same again, and still sort by time."""

from pilothouse.kit.ids import child_id, is_id, new_id
from pilothouse.kit.words import stems


def test_a_child_id_is_the_same_again_and_sorts_with_its_parent():
    parent = new_id()
    assert child_id(parent, "run") == child_id(parent, "run") != child_id(parent, "agent")
    assert child_id(parent, "run")[:13] == parent[:13]
    assert is_id(child_id(parent, "run"))


def test_words_are_compared_without_their_endings():
    assert stems("Sending the e-mails to them") == {"send", "mail"} | stems("e")
    assert stems("Send web request") <= stems("sends requests by web")
