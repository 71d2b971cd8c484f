"""Classes that pools refer to, and objects that are there twice."""

from builders.manifests import a_class_text, a_pool_text, codes_of, the_finding


def test_a_class_that_is_not_there_is_missed():
    finding = the_finding("NW-2125", a_pool_text(), a_class_text("generl"))

    assert finding.help == "did you mean generl?"


def test_a_class_may_stand_in_another_file():
    assert codes_of(a_pool_text()) == []


def test_two_objects_of_one_name_are_found():
    assert "NW-2126" in codes_of(a_class_text(), a_class_text())


def test_equal_names_of_different_kinds_are_fine():
    assert codes_of(a_pool_text("general"), a_class_text("general")) == []
