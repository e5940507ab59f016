"""What is asked of the surroundings, as settings."""

from __future__ import annotations

import pytest

from graphaudit.errors import SettingError
from graphaudit.model import Packages, Setting
from graphaudit.platforms.names import SIMULATED
from graphaudit.surroundings import packages, settings

NOTHING = Packages()
VENDORS = ("torchada", "torch_npu")


def test_without_a_name_the_machine_stays_as_it_is() -> None:
    """Also its packages: no vendor's is hidden."""
    assert settings((), NOTHING) == (Setting(),)
    asked = Packages(without=("a",))
    assert settings((), asked) == (Setting(packages=asked),)


@pytest.mark.parametrize(
    ("platform", "lacking"),
    [
        ("cpu", VENDORS),
        ("cuda", VENDORS),
        ("hip", VENDORS),
        ("musa", ("torch_npu",)),
        ("npu", ("torchada",)),
    ],
)
def test_a_platform_lacks_the_packages_of_others(platform: str, lacking: tuple[str, ...]) -> None:
    """A machine of one vendor has none of another's."""
    assert settings([platform], NOTHING) == (
        Setting(platform=platform, packages=Packages(without=lacking)),
    )


@pytest.mark.parametrize("option", ["broken", "stub"])
def test_what_is_asked_for_is_not_lacking(option: str) -> None:
    """A stand-in for torchada makes it importable on cuda."""
    asked = Packages(**{option: ("torchada",)})
    assert settings(["cuda"], asked)[0].packages.without == ("torch_npu",)


def test_without_is_for_the_vendors_own_too() -> None:
    """A name that is lacking anyway stands once."""
    asked = Packages(without=("torchada",))
    assert [one.packages.without for one in settings(["musa", "cuda"], asked)] == [
        ("torchada", "torch_npu"),
        ("torchada", "torch_npu"),
    ]


def test_all_is_each_platform_once() -> None:
    """In the order in which they are listed, whatever else is named."""
    assert tuple(one.platform for one in settings(["all", "cuda"], NOTHING)) == SIMULATED
    assert [one.platform for one in settings(["musa", "cpu", "musa"], NOTHING)] == ["musa", "cpu"]


@pytest.mark.parametrize(
    ("names", "device"),
    [
        (["cuda"], ""),
        (["cuda:H200"], "H200"),
        (["cuda", "cuda:H200"], "H200"),
        (["cuda:H200", "all"], "H200"),
        (["cuda:H200", "cuda:H200"], "H200"),
    ],
)
def test_a_device_that_is_named_is_the_platforms_own(names: list[str], device: str) -> None:
    """Whatever else names the platform."""
    (cuda,) = (one for one in settings(names, NOTHING) if one.platform == "cuda")
    assert cuda.device == device


def test_a_platform_has_one_device() -> None:
    """The report says `cuda`: two outcomes of one entry there could not be told apart."""
    with pytest.raises(SettingError, match=r"cuda cannot be both H200 and B200: .* once for each"):
        settings(["cuda:H200", "hip", "cuda:B200"], NOTHING)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cude", "no platform 'cude': did you mean cuda?"),
        ("intel", "no platform 'intel': known are cpu, cuda, hip, musa, npu; or all"),
        ("CUDA", "no platform 'CUDA'"),
        ("cuda:", "cuda has no device ''"),
        ("cuda:B300", "cuda has no device 'B300': did you mean B200?"),
        ("cpu:x", "cpu has no device 'x': it has none to choose from"),
        ("all:x", "no platform 'all'"),
    ],
)
def test_unknown_names_are_refused(name: str, message: str) -> None:
    """With what there is."""
    with pytest.raises(SettingError) as caught:
        settings([name], NOTHING)
    assert message in str(caught.value)


def test_packages_are_taken_as_they_are_named() -> None:
    """Each once, "auto" apart."""
    assert packages(["a", "a"], ["b.c"], ["auto", "d"]) == Packages(
        without=("a",), broken=("b.c",), stub=("d",), auto=True
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((["a"], ["a"], []), "a cannot be both --without and --broken: leave one out"),
        ((["a"], [], ["a"]), "a cannot be both --without and --stub: leave one out"),
        (([], ["flash-attn"], []), "--broken 'flash-attn': no name of a module"),
        (([], [], ["a."]), "--stub 'a.': no name of a module"),
    ],
)
def test_what_no_package_can_be_is_refused(
    asked: tuple[list[str], list[str], list[str]], message: str
) -> None:
    """And what contradicts itself."""
    with pytest.raises(SettingError) as caught:
        packages(*asked)
    assert message in str(caught.value)
