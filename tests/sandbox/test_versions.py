"""The choice of a Kubernetes release."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.errors import UserError
from nodewright.sandbox.build import source_folder
from nodewright.sandbox.versions import (
    DEFAULT_VERSION,
    PATCH_OF_MINOR,
    choose_version,
    minor_of,
    staging_version,
)


@pytest.mark.parametrize("minor", sorted(PATCH_OF_MINOR))
@pytest.mark.parametrize("form", ["1.{}", "v1.{}", " 1.{} "])
def test_a_minor_stands_for_its_known_patch_release(minor, form):
    chosen = choose_version(form.format(minor))

    assert chosen == PATCH_OF_MINOR[minor]
    assert minor_of(chosen) == f"1.{minor}"


def test_an_exact_release_is_taken_as_it_is():
    assert choose_version("1.33.6") == "v1.33.6"
    assert choose_version("v1.34.4") == "v1.34.4"


@pytest.mark.parametrize("minor", [30, 37])
def test_a_release_outside_the_range_is_refused_with_the_range(minor):
    with pytest.raises(UserError, match=r"1\.31 to 1\.36"):
        choose_version(f"1.{minor}")


@given(st.text(max_size=12).filter(lambda text: "1." not in text))
def test_any_other_text_is_refused_with_advice(text):
    with pytest.raises(UserError, match="is not a Kubernetes version") as refusal:
        choose_version(text)

    assert text in refusal.value.message
    assert refusal.value.advice


@given(st.sampled_from(sorted(PATCH_OF_MINOR)), st.integers(min_value=0, max_value=999))
def test_every_patch_release_of_the_range_can_be_named(minor, patch):
    assert choose_version(f"1.{minor}.{patch}") == f"v1.{minor}.{patch}"


def test_libraries_are_published_as_version_zero():
    assert staging_version("v1.36.3") == "v0.36.3"


def test_the_module_file_in_the_tree_is_of_the_default_release():
    text = (source_folder() / "controlplane" / "go.mod").read_text()

    assert f"\tk8s.io/kubernetes {DEFAULT_VERSION}\n" in text
    assert f"k8s.io/api => k8s.io/api {staging_version(DEFAULT_VERSION)}\n" in text
