"""Portable paths, libraries, and texts that are the same in every clone."""

from __future__ import annotations

import pytest

from graphaudit._paths import is_library, is_torch_or_stdlib, library_name, portable, scrubbed
from graphaudit._protocol import Places

PLACES = Places(root="/home/me/repo", torch="/src/pytorch/torch", stdlib=("/usr/lib/python3.11",))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/me/repo/engine/x.py", "engine/x.py"),
        ("/home/me/other/x.py", "../other/x.py"),
        (
            "/opt/v/lib/python3.11/site-packages/transformers/a.py",
            "<site-packages>/transformers/a.py",
        ),
        ("/usr/lib/python3/dist-packages/numpy/a.py", "<site-packages>/numpy/a.py"),
        ("/home/me/repo/.venv/lib/python3.11/site-packages/six.py", "<site-packages>/six.py"),
        ("/src/pytorch/torch/nn/modules/linear.py", "<site-packages>/torch/nn/modules/linear.py"),
        ("/usr/lib/python3.11/contextlib.py", "<stdlib>/contextlib.py"),
        ("<string>", "<string>"),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
    ],
)
def test_portable(path: str, expected: str) -> None:
    """No absolute path is left; a torch of one's own build looks like an installed one."""
    assert portable(path, PLACES) == expected


def test_what_is_a_library() -> None:
    """Libraries cannot be mended here; pseudo files cannot be mended anywhere."""
    assert is_library("<site-packages>/transformers/a.py")
    assert is_library("<string>")
    assert not is_library("../other/x.py")
    assert is_torch_or_stdlib("<stdlib>/contextlib.py")
    assert not is_torch_or_stdlib("<site-packages>/transformers/a.py")


def test_library_names() -> None:
    """The name that a reader would search for."""
    assert library_name("<site-packages>/transformers/models/a.py") == "transformers"
    assert library_name("<site-packages>/six.py") == "six"
    assert library_name("<stdlib>/random.py") == "Python"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<function f at 0x7f3a11b2c0d0>", "<function f at 0x..>"),
        ("mask 0x1f", "mask 0x1f"),
        ("ConstantVariable(float: 0.058811632000376)", "ConstantVariable(float: ..)"),
        ("ConstantVariable(float: 1e-06, int: 4096)", "ConstantVariable(float: 1e-06, int: 4096)"),
        ("check_obj_id(139872341239872)", "check_obj_id(..)"),
        ("in /opt/v/lib/python3.11/site-packages/six.py:3", "in <site-packages>/six.py:3"),
        ("skip (/usr/lib/python3.11/random.py)", "skip (<stdlib>/random.py)"),
        ("raised in /home/me/repo/engine/x.py:4", "raised in engine/x.py:4"),
        ("in /home/me/repository/x.py", "in /home/me/repository/x.py"),
        ("in /mnt/home/me/repo/x.py", "in /mnt/home/me/repo/x.py"),
        ("(/home/me/repo)", "(.)"),
        (
            "/a/site-packages/x.py and /b/site-packages/y.py",
            "<site-packages>/x.py and <site-packages>/y.py",
        ),
    ],
)
def test_scrubbed(text: str, expected: str) -> None:
    """Addresses and folders differ between two runs; small numbers stay."""
    assert scrubbed(text, PLACES) == expected


def test_scrubbing_a_long_path_is_linear() -> None:
    """A message may hold anything: 200 KB without a blank took minutes."""
    text = "/a" * 100_000

    assert scrubbed(text, PLACES) == text


def test_scrubbing_from_the_root_folder_keeps_slashes() -> None:
    """A container may start there."""
    places = Places(root="/", torch="", stdlib=())

    assert scrubbed("in /srv/app/x.py", places) == "in /srv/app/x.py"
