"""Discovery on small trees: which factories, which `torch.compile` sites, which paths."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest

from graphaudit.discover import find, scanned_path
from graphaudit.errors import PathError
from graphaudit.model import Discovery, EntryPoint, Uncovered, Unreadable


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def _ids(found: Discovery) -> list[str]:
    return [entry.id for entry in found.entries]


def _sites(found: Discovery) -> list[tuple[int, str]]:
    return [(site.line, site.what) for site in found.uncovered]


def _find_in(root: Path, source: str) -> Discovery:
    return find(["."], root=_tree(root, {"a.py": source}))


def _refused(found: Discovery) -> list[tuple[str, str]]:
    return [(one.entry.id, one.message) for one in found.unreadable]


def _lookalike(name: str, what: str) -> str:
    return (
        f"{name} is no entry point: it is {what}, not a `def`; "
        f"write `def {name}():` that returns (callable, args) to make it one"
    )


AUDIT = "def audit_x(): ...\n"


# Factories


def test_an_entry_has_its_file_line_and_name(tmp_path: Path) -> None:
    """The line is that of `def`, below the decorators."""
    root = _tree(tmp_path, {"pkg/audit.py": "import x\n\n@x.y\ndef audit_a():\n    return 1\n"})
    assert find(["pkg"], root=root) == Discovery(
        entries=(
            EntryPoint(id="pkg/audit.py::audit_a", path="pkg/audit.py", line=4, name="audit_a"),
        )
    )


@pytest.mark.parametrize(
    "signature",
    ["", "n=1", "*args", "**options", "*, n=1", "n=1, /, m=2", "*args, n=1, **options"],
)
def test_parameters_with_defaults_are_fine(tmp_path: Path, signature: str) -> None:
    """What can be called without arguments is a factory."""
    assert _ids(_find_in(tmp_path, f"def audit_a({signature}): ...\n")) == ["a.py::audit_a"]


@pytest.mark.parametrize(
    ("signature", "names"),
    [("n", "n"), ("a, /, b, *, c", "a, b, c"), ("a, b=1", "a"), ("*, c=1, d", "d")],
)
def test_required_parameters_make_no_entry(tmp_path: Path, signature: str, names: str) -> None:
    """An application may have such a function: it is listed, and fails nothing."""
    assert _find_in(tmp_path, f"\ndef audit_a({signature}): ...\n") == Discovery(
        entries=(),
        uncovered=(
            Uncovered(
                path="a.py",
                line=2,
                what=f"audit_a is no entry point: it has required parameters ({names}); "
                "give each a default to make it one",
                kind="site",
            ),
        ),
    )


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("audit_a = lambda: (f, ())", "a lambda"),
        ("audit_a: object = lambda: (f, ())", "a lambda"),
        ("audit_a = other = functools.partial(made, 1)", "a partial"),
        ("audit_a = partial(made, 1)", "a partial"),
        ("class audit_a: ...", "a class"),
        ("audit_a = made", "another name of made"),
        ("audit_a = made(3)", "what made returns"),
        ("if x:\n    audit_a = lambda: (f, ())", "a lambda"),
    ],
)
def test_what_is_named_as_an_entry_is_listed(tmp_path: Path, statement: str, what: str) -> None:
    """It looks like an entry and is none: nobody may think that it was traced."""
    head = "import functools\nfrom functools import partial\ndef made(n=1): ...\n"
    found = _find_in(tmp_path, f"{head}{statement}\n")
    assert [what for _, what in _sites(found)] == [_lookalike("audit_a", what)]
    assert _ids(found) == []


@pytest.mark.parametrize(
    "statement",
    [
        "audit_a = 5",
        "audit_a = logging.getLogger('audit')",
        "audit_a: object",
        "def f(): audit_a = lambda: 1",
        "if TYPE_CHECKING: audit_a = lambda: 1",
        "class A:\n    audit_a = lambda: 1",
        "x.audit_a = lambda: 1",
        "audited = lambda: 1",
    ],
)
def test_other_names_are_no_business_of_ours(tmp_path: Path, statement: str) -> None:
    """Applications have such names."""
    assert _find_in(tmp_path, f"{statement}\n").uncovered == ()


def test_a_factory_that_is_wrapped_by_hand_is_an_entry(tmp_path: Path) -> None:
    """As one with a decorator is."""
    found = _find_in(tmp_path, "import m\ndef audit_a(): ...\naudit_a = m.wrap(audit_a)\n")
    assert (_ids(found), found.uncovered) == (["a.py::audit_a"], ())


def test_an_async_function_with_required_parameters_is_no_entry(tmp_path: Path) -> None:
    """It is none of ours, so nothing is wrong with it."""
    found = _find_in(tmp_path, "async def audit_event(user): ...\n")
    assert found.unreadable == ()
    assert _sites(found) == [
        (
            1,
            "audit_event is no entry point: it has required parameters (user); "
            "give each a default to make it one",
        )
    ]


def test_async_is_told(tmp_path: Path) -> None:
    """An `async def` returns no `(callable, args)`."""
    assert _refused(_find_in(tmp_path, "async def audit_a(): ...\n")) == [
        (
            "a.py::audit_a",
            "audit_a is an `async def`: a factory is a plain function that returns "
            "(callable, args); write `def`",
        )
    ]


@pytest.mark.parametrize(
    "source",
    [
        "from b import audit_a\n",
        "class C:\n    def audit_a(self): ...\n",
        "def f():\n    def audit_a(): ...\n",
        "def audits(): ...\n",
        "def Audit_a(): ...\n",
        "def _audit_a(): ...\n",
        "# def audit_a(): ...\n",
        "if TYPE_CHECKING:\n    def audit_a(): ...\n",
        "if typing.TYPE_CHECKING:\n    def audit_a(): ...\n",
        "if __name__ == '__main__':\n    def audit_a(): ...\n",
        "if '__main__' == __name__:\n    def audit_a(): ...\n",
        "",
    ],
)
def test_what_is_no_factory(tmp_path: Path, source: str) -> None:
    """Imported, nested, or in a branch that an import never takes."""
    assert _find_in(tmp_path, source) == Discovery(entries=())


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    def audit_a(): ...\n",
        "if x:\n    pass\nelif y:\n    pass\nelse:\n    def audit_a(): ...\n",
        "try:\n    def audit_a(): ...\nexcept E:\n    pass\n",
        "try:\n    import x\nexcept E:\n    def audit_a(): ...\n",
        "try:\n    import x\nexcept E:\n    pass\nelse:\n    def audit_a(): ...\n",
        "try:\n    import x\nfinally:\n    def audit_a(): ...\n",
        "try:\n    import x\nexcept* E:\n    def audit_a(): ...\n",
        "with x:\n    if y:\n        def audit_a(): ...\n",
        "for x in y:\n    def audit_a(): ...\n",
        "match x:\n    case 1:\n        def audit_a(): ...\n",
        "if TYPE_CHECKING:\n    pass\nelse:\n    def audit_a(): ...\n",
        "if not TYPE_CHECKING:\n    def audit_a(): ...\n",
        "if __name__ != '__main__':\n    def audit_a(): ...\n",
    ],
)
def test_blocks_at_the_top_level_count(tmp_path: Path, source: str) -> None:
    """What an import may leave as an attribute of the module is a factory."""
    assert _ids(_find_in(tmp_path, source)) == ["a.py::audit_a"]


def test_the_last_definition_wins(tmp_path: Path) -> None:
    """As in Python: one entry, on the last line."""
    found = _find_in(tmp_path, "def audit_a(n): ...\ndef audit_b(): ...\ndef audit_a(): ...\n")
    assert [(entry.name, entry.line) for entry in found.entries] == [
        ("audit_b", 2),
        ("audit_a", 3),
    ]
    assert found.unreadable == ()


def test_a_last_definition_that_cannot_be_called_wins_too(tmp_path: Path) -> None:
    """The one that Python would call is judged."""
    found = _find_in(tmp_path, "def audit_a(): ...\ndef audit_a(n): ...\n")
    assert found.entries == ()
    assert found.unreadable == ()
    assert [one.line for one in found.uncovered] == [2]


def test_entries_come_by_file_and_line(tmp_path: Path) -> None:
    """Not in the order of the arguments or of their names."""
    two = "def audit_z(): ...\ndef audit_a(): ...\n"
    root = _tree(tmp_path, {"b.py": two, "a/c.py": two, "a.py": two})
    assert _ids(find(["b.py", "a", "a.py"], root=root)) == [
        "a.py::audit_z",
        "a.py::audit_a",
        "a/c.py::audit_z",
        "a/c.py::audit_a",
        "b.py::audit_z",
        "b.py::audit_a",
    ]


def test_nothing_is_imported(tmp_path: Path) -> None:
    """The file would end the process."""
    assert _ids(_find_in(tmp_path, f"raise SystemExit\n{AUDIT}")) == ["a.py::audit_x"]


# Paths


@pytest.mark.parametrize(
    "name",
    [
        ".hidden/a.py",
        ".venv/lib/a.py",
        "pkg/.tox/a.py",
        "lib/site-packages/x/a.py",
        "lib/dist-packages/x/a.py",
        "build/a.py",
        "pkg/build/a.py",
        "node_modules/x/a.py",
        "pkg/__pycache__/a.py",
        "notes.txt",
        "a.pyi",
    ],
)
def test_what_is_not_scanned(tmp_path: Path, name: str) -> None:
    """Folders that hold other people's code, and files that are not Python."""
    root = _tree(tmp_path, {name: AUDIT, "kept.py": AUDIT})
    assert _ids(find(["."], root=root)) == ["kept.py::audit_x"]


def test_a_virtual_environment_of_any_name_is_not_scanned(tmp_path: Path) -> None:
    """It is known by its mark; a package that is only called so is scanned."""
    root = _tree(
        tmp_path, {"my-env/pyvenv.cfg": "", "my-env/bin/a.py": AUDIT, "pkg/venv/a.py": AUDIT}
    )
    assert _ids(find(["."], root=root)) == ["pkg/venv/a.py::audit_x"]


@pytest.mark.parametrize("name", [".hidden/a.py", "build/a.py", "x/site-packages/y/a.py"])
def test_a_file_that_is_named_is_scanned_anywhere(tmp_path: Path, name: str) -> None:
    """Who names a file or its folder means it."""
    root = _tree(tmp_path, {name: AUDIT})
    assert _ids(find([name], root=root)) == [f"{name}::audit_x"]
    assert _ids(find([str(Path(name).parent)], root=root)) == [f"{name}::audit_x"]


def test_overlapping_paths_are_merged(tmp_path: Path) -> None:
    """A file that is named four times is one file."""
    root = _tree(tmp_path, {"pkg/a.py": AUDIT})
    paths = [".", "pkg", "pkg/../pkg/a.py", str(tmp_path / "pkg" / "a.py")]
    assert _ids(find(paths, root=root)) == ["pkg/a.py::audit_x"]


def test_paths_outside_the_root_are_relative(tmp_path: Path) -> None:
    """With `..`, whether they were given so or as absolute paths."""
    _tree(tmp_path, {"other/a.py": AUDIT, "root/b.py": AUDIT})
    for path in ("../other", str(tmp_path / "other")):
        assert _ids(find([path], root=tmp_path / "root")) == ["../other/a.py::audit_x"]


def test_root_may_be_reached_through_a_link(tmp_path: Path) -> None:
    """The real path of a file under it is a path under it."""
    _tree(tmp_path, {"real/a.py": AUDIT})
    link = tmp_path / "deep" / "link"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "real")
    assert _ids(find([str(tmp_path / "real")], root=link)) == ["a.py::audit_x"]
    assert scanned_path(str(tmp_path / "real"), link) == "."


def test_a_tree_that_contains_itself_ends(tmp_path: Path) -> None:
    """Links to folders are not followed, those to files are."""
    root = _tree(tmp_path, {"pkg/a.py": AUDIT})
    (root / "pkg" / "loop").symlink_to(root)
    (root / "pkg" / "b.py").symlink_to("a.py")
    assert _ids(find(["."], root=root)) == ["pkg/a.py::audit_x", "pkg/b.py::audit_x"]


def test_a_link_to_a_folder_is_followed_if_it_is_named(tmp_path: Path) -> None:
    """It is an argument like another."""
    root = _tree(tmp_path, {"pkg/a.py": AUDIT})
    (root / "link").symlink_to("pkg")
    assert _ids(find(["link"], root=root)) == ["link/a.py::audit_x"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none", r"'none': no such file or folder in .*; check the spelling"),
        ("", r"'': no such file or folder in .*"),
        ("notes.txt", r"notes\.txt: not a Python file; name a folder or a file in \.py"),
    ],
)
def test_wrong_paths_are_refused(tmp_path: Path, path: str, message: str) -> None:
    """An empty one too: an unset variable must not scan everything."""
    root = _tree(tmp_path, {"notes.txt": "", "a.py": AUDIT})
    with pytest.raises(PathError, match=message):
        find(["a.py", path], root=root)


@pytest.mark.parametrize("name", ["pipe.py", "link.py"])
def test_a_path_that_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """Advice to write an entry would not help who named it."""
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to("pipe.py")
    message = rf"^{name}: not read: not a file, or a link to nothing; name a folder or a Python"
    with pytest.raises(PathError, match=message):
        find([name], root=tmp_path)


def test_no_paths_no_files(tmp_path: Path) -> None:
    """Whether that is a mistake is for the caller to say."""
    assert find([], root=_tree(tmp_path, {"a.py": AUDIT})) == Discovery(entries=())


def test_scanned_path() -> None:
    """POSIX, without `.` and needless `..`."""
    root = Path("/no/such/root")
    assert scanned_path(".", root) == "."
    assert scanned_path("pkg/./x/../a.py", root) == "pkg/a.py"
    assert scanned_path("/no/such/root/pkg/", root) == "pkg"
    assert scanned_path("/no/such/other/a.py", root) == "../other/a.py"


# Files that cannot be read


def test_a_broken_file_keeps_its_entries(tmp_path: Path) -> None:
    """Each name once, with the place of the error."""
    found = _find_in(
        tmp_path, "def audit_a(): ...\nx = = 1\nasync  def audit_b(): ...\ndef audit_a(): ...\n"
    )
    message = "SyntaxError: invalid syntax (line 2)"
    assert found == Discovery(
        entries=(),
        unreadable=(
            Unreadable(
                entry=EntryPoint(id="a.py::audit_b", path="a.py", line=3, name="audit_b"),
                message=message,
            ),
            Unreadable(
                entry=EntryPoint(id="a.py::audit_a", path="a.py", line=4, name="audit_a"),
                message=message,
            ),
        ),
        uncovered=(Uncovered(path="a.py", line=2, what=f"not read: {message}", kind="unread"),),
    )


@pytest.mark.parametrize(
    ("head", "entry"),
    [
        ("def audit_event(user):", False),
        ("def audit_event(user: U = {1: 2}, *, n):  # why", False),
        ("async def audit_event(user): ...", False),
        ("def audit_event(user=None):", True),
        ("def audit_event(", True),
        ("def audit_event(user:", True),
        ("def audit_event", True),
    ],
)
def test_required_parameters_in_a_broken_file(tmp_path: Path, head: str, entry: bool) -> None:
    """What is no entry in a file for another Python is none here; in doubt it is one."""
    found = _find_in(tmp_path, f"{head}\n    print 'x'\n")
    assert [one.entry.id for one in found.unreadable] == ["a.py::audit_event"] * entry
    assert [(one.path, one.kind) for one in found.uncovered] == [("a.py", "unread")]


def test_a_broken_file_without_entries_is_listed(tmp_path: Path) -> None:
    """It may compile something: nobody knows."""
    found = _find_in(tmp_path, "import torch\nf = torch.compile(\n    ]\n# def audit_x\n")
    assert found.entries == ()
    assert found.unreadable == ()
    assert [(one.path, one.line, one.kind) for one in found.uncovered] == [("a.py", 3, "unread")]
    assert found.uncovered[0].what.startswith("not read: SyntaxError: ")
    assert found.uncovered[0].what.endswith(" (line 3)")


def test_a_broken_file_of_no_interest_is_not(tmp_path: Path) -> None:
    """Without a word of ours it can hold neither entries nor sites."""
    assert _find_in(tmp_path, "x = = 1\nre.compile('x')\n") == Discovery(entries=())


def test_indentation_errors_are_named(tmp_path: Path) -> None:
    """Python's own name of the error."""
    assert _refused(_find_in(tmp_path, "def audit_a():\nreturn 1\n")) == [
        (
            "a.py::audit_a",
            "IndentationError: expected an indented block after function definition on line 1 "
            "(line 2)",
        )
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"def audit_a(): ...\n\0\n",
            "SyntaxError: source code cannot contain null bytes (line 2)",
        ),
        (
            "def audit_a(): ...\n".encode("utf-16"),
            "SyntaxError: source code cannot contain null bytes (line 1)",
        ),
        (
            b"# 1\n# 2\n# 3\ndef audit_a():\n    return '\xe9'\n",
            "SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xe9 in position 39: "
            "invalid continuation byte (line 5)",
        ),
        (
            b"# coding: klingon\ndef audit_a(): ...\n",
            "SyntaxError: unknown encoding: klingon (line 1)",
        ),
    ],
    ids=["null", "utf-16", "latin-1", "cookie"],
)
def test_absurd_files_keep_their_entries(tmp_path: Path, data: bytes, message: str) -> None:
    """Whatever the parser trips over, the name in the text is reported."""
    (tmp_path / "a.py").write_bytes(data)
    assert _refused(find(["."], root=tmp_path)) == [("a.py::audit_a", message)]


@pytest.mark.parametrize("text", ["-" * 200_000 + "1", "1+" * 200_000 + "1"])
def test_a_file_that_is_too_deep_keeps_its_entries(tmp_path: Path, text: str) -> None:
    """Which of its limits the parser meets depends on Python's version."""
    found = _find_in(tmp_path, f"def audit_a(): ...\nx = {text}\n")
    (refused,) = _refused(found)
    assert refused in [
        ("a.py::audit_a", f"{error}Error: too deeply nested to be parsed (line 1)")
        for error in ("Memory", "Recursion")
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + AUDIT.encode(),
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n" + AUDIT.encode(),
        b"# \xc3\xa9\r\n" + AUDIT.replace("\n", "\r\n").encode(),
        b"x = '\\d'\n" + AUDIT.encode(),
        b"\f\n" + AUDIT.encode(),
        b"x = 1 +" + b" 1 +" * 500 + b" 1\n" + AUDIT.encode(),
        b"".join(b"%sif x == %d: ...\n" % (b"el" * (n > 0), n) for n in range(1500))
        + AUDIT.encode(),
    ],
    ids=["bom", "latin-1", "crlf", "bad-escape", "form-feed", "deep-sum", "long-elif"],
)
def test_odd_files_are_read(tmp_path: Path, data: bytes) -> None:
    """As Python reads them, and without its warnings."""
    (tmp_path / "a.py").write_bytes(data + b"import torch\ntorch.compile(g)\n")
    found = find(["."], root=tmp_path)
    assert _ids(found) == ["a.py::audit_x"]
    assert [site.what for site in found.uncovered] == ["torch.compile(g)"]


def test_a_file_that_may_not_be_read_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said by the system, since a superuser may read anything."""
    _tree(tmp_path, {"a.py": AUDIT})

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert find(["."], root=tmp_path).uncovered == (
        Uncovered(
            path="a.py", line=1, what="not read: PermissionError: Permission denied", kind="unread"
        ),
    )


def test_a_folder_that_may_not_be_read_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the tree is scanned."""
    _tree(tmp_path, {"open/a.py": AUDIT, "shut/a.py": AUDIT})
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find(["."], root=tmp_path)
    assert _ids(found) == ["open/a.py::audit_x"]
    assert found.uncovered == (
        Uncovered(
            path="shut", line=1, what="not read: PermissionError: Permission denied", kind="unread"
        ),
    )


def test_links_to_nothing_and_pipes_are_listed(tmp_path: Path) -> None:
    """Reading a pipe would never end."""
    (tmp_path / "a.py").symlink_to("none.py")
    os.mkfifo(tmp_path / "b.py")
    assert find(["."], root=tmp_path).uncovered == (
        Uncovered(
            path="a.py", line=1, what="not read: not a file, or a link to nothing", kind="unread"
        ),
        Uncovered(
            path="b.py", line=1, what="not read: not a file, or a link to nothing", kind="unread"
        ),
    )


def test_a_name_that_is_not_utf_8_is_listed(tmp_path: Path) -> None:
    """No report could carry it."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9.py")).write_text(AUDIT, encoding="utf-8")
    assert find(["."], root=tmp_path).uncovered == (
        Uncovered(
            path="\\udce9.py",
            line=1,
            what="not read: its name is not UTF-8; give it another one",
            kind="unread",
        ),
    )


# Sites of torch.compile


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\ng = torch.compile(h)\n", (2, "torch.compile(h)")),
        ("import torch as t\ng = t.compile(h)\n", (2, "t.compile(h)")),
        ("import torch.nn\ng = torch.compile(h)\n", (2, "torch.compile(h)")),
        ("from torch import compile\ng = compile(h)\n", (2, "compile(h)")),
        ("from torch import compile as c\ng = c(h, dynamic=True)\n", (2, "c(h, dynamic=True)")),
        ("from torch import *\ng = compile(h)\n", (2, "compile(h)")),
        ("import torch\ng = torch.compiler.compile(h)\n", (2, "torch.compiler.compile(h)")),
        ("def f():\n  import torch as t\n  return t.compile(h)\n", (3, "t.compile(h)")),
        ("import torch\n@torch.compile\ndef h(): ...\n", (2, "@torch.compile on h")),
        ("import torch\n@torch.compile()\nclass H: ...\n", (2, "@torch.compile() on H")),
        ("import torch\n@torch.compile\nasync def h(): ...\n", (2, "@torch.compile on h")),
        (
            "import torch\n@x\n@torch.compile(\n    fullgraph=True,\n    mode='m',\n)\n"
            "def h(): ...\n",
            (3, "@torch.compile(fullgraph=True, mode='m') on h"),
        ),
        (
            "import torch, functools\n@functools.partial(torch.compile, dynamic=True)\n"
            "def h(): ...\n",
            (2, "@functools.partial(torch.compile, dynamic=True) on h"),
        ),
        (
            "import torch\nfrom functools import partial as p\nx = p(torch.compile, d=1)(h)\n",
            (3, "p(torch.compile, d=1)(h)"),
        ),
        (
            "import torch\nfrom functools import partial\nx = partial(torch.compile, h)\n",
            (3, "partial(torch.compile, h)"),
        ),
        ("import torch\nx = torch.compile(mode='m')(h)\n", (2, "torch.compile(mode='m')(h)")),
        ("import torch\nx = torch.compile(model=h)\n", (2, "torch.compile(model=h)")),
        ("import torch\nx = torch.compile(*h)\n", (2, "torch.compile(*h)")),
        ("import torch\nx = torch.compile(lambda y: y)\n", (2, "torch.compile(lambda y: y)")),
        ("import torch\nc = torch.compile\nx = c(h)\n", (3, "c(h)")),
        ("import torch\nc = torch.compile(mode='m')\n@c\ndef h(): ...\n", (3, "@c on h")),
        ("import torch\nc = torch.compile(mode='m')\n", (2, "torch.compile(mode='m')")),
        (
            "import torch\nc = torch.compile if x else y\n@c\ndef h(): ...\n",
            (3, "@c on h"),
        ),
        (
            f"import torch\ntorch.compile(h, mode='{'m' * 80}')\n",
            (2, f"torch.compile(h, mode='{'m' * 54}..."),
        ),
    ],
)
def test_a_site(tmp_path: Path, source: str, expected: tuple[int, str]) -> None:
    """Each form is found once, with its line and its text."""
    assert _sites(_find_in(tmp_path, source)) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "import re, torch\nre.compile('torch')\n",
        "import torch\ncompile('1', 'f', 'eval')\n",
        "import torch\nmodel.compile()\n",
        "import torch\nx = torch.compile\n",
        "import torch\ntorch.compiler.disable(h)\n",
        "from .torch import compile\ncompile(h)\n",
        "from my.torch import compile\ncompile(h)\n",
        "import numpy as torch\ntorch.compile(h)\n",
        "import torch\n# torch.compile(h)\nx = 'torch.compile(h)'\n",
    ],
)
def test_what_is_no_site(tmp_path: Path, source: str) -> None:
    """Other people's `compile`, and texts."""
    assert _sites(_find_in(tmp_path, source)) == []


def test_nested_sites_are_all_listed(tmp_path: Path) -> None:
    """A site inside another one is one of its own."""
    source = "import torch\n@torch.compile\ndef g():\n  return torch.compile(torch.compile(h))\n"
    assert _sites(_find_in(tmp_path, source)) == [
        (2, "@torch.compile on g"),
        (4, "torch.compile(h)"),
        (4, "torch.compile(torch.compile(h))"),
    ]


def test_sites_and_unread_files_come_by_place(tmp_path: Path) -> None:
    """By file, then line."""
    site = "import torch\ntorch.compile(h)\ntorch.compile(g)\n"
    root = _tree(tmp_path, {"b.py": site, "a.py": site, "aa.py": f"{site})\n"})
    assert [(one.path, one.line) for one in find(["b.py", "."], root=root).uncovered] == [
        ("a.py", 2),
        ("a.py", 3),
        ("aa.py", 4),
        ("b.py", 2),
        ("b.py", 3),
    ]


_CLASS = """
import torch
class Engine:
    def __init__(self, run, model):
        self.a = {site}
"""


@pytest.mark.parametrize(
    ("site", "body", "covered"),
    [
        ("torch.compile(self.prefill)", "return Engine().prefill", True),
        ("torch.compile(self.prefill)", "return Engine().decode", False),
        ("torch.compile(self.prefill)", "return prefill", True),
        ("torch.compile(self.prefill)", "return 'prefill'", False),
        ("torch.compile(self.model.forward)", "return Engine()", True),
        ("torch.compile(self.model.forward)", "return Model().forward", False),
        ("torch.compile(self.decoder.forward)", "return Decoder, decoder", True),
        ("torch.compile(run)", "return run", False),
        ("torch.compile(run)", "return Engine", True),
        ("torch.compile(model.prefill)", "return prefill", True),
        ("torch.compile(Decoder())", "return Decoder()", True),
        ("torch.compile(Decoder().cuda().eval())", "return Decoder()", True),
        ("torch.compile(Decoder().cuda())", "return x.cuda()", False),
        ("torch.compile(layers[0])", "return layers", True),
        ("torch.compile(partial(attend, 1))", "return attend", True),
        ("torch.compile(lambda x: x)", "return Engine", True),
        ("torch.compile(lambda x: x)", "return x", False),
        ("torch.compile(mode='m')(attend)", "return attend", True),
    ],
)
def test_covered_by_name(tmp_path: Path, site: str, body: str, covered: bool) -> None:
    """The most specific name decides; where it says nothing, the names around it."""
    root = _tree(
        tmp_path, {"a.py": _CLASS.format(site=site), "b.py": f"def audit_x():\n    {body}\n"}
    )
    assert bool(find(["."], root=root).uncovered) is not covered


@pytest.mark.parametrize(
    ("definition", "body", "covered"),
    [
        ("@torch.compile\ndef attend(): ...", "return attend", True),
        ("@torch.compile\ndef attend(): ...", "return other", False),
        ("@torch.compile\ndef forward(): ...", "return forward", True),
        ("class A:\n  @torch.compile\n  def forward(self): ...", "return A()", True),
        ("class A:\n  @torch.compile\n  def forward(self): ...", "return B().forward", False),
        ("class A:\n  @torch.compile\n  def __call__(self): ...", "return A()", True),
        ("class A:\n  @torch.compile\n  def prefill(self): ...", "return x.prefill", True),
        ("torch.compile(model)", "model = 1", False),
        ("torch.compile(attend)", "from a import attend as f\n    return f", True),
    ],
)
def test_covered_definitions(tmp_path: Path, definition: str, body: str, covered: bool) -> None:
    """A decorated function has a name of its own; an import may give it another."""
    root = _tree(
        tmp_path,
        {"a.py": f"import torch\n{definition}\n", "b.py": f"def audit_x():\n    {body}\n"},
    )
    assert bool(find(["."], root=root).uncovered) is not covered


@pytest.mark.parametrize(
    "factory",
    [
        "@uses(attend)\ndef audit_x(): ...",
        "def audit_x(f=attend): ...",
        "def audit_x():\n    def inner(): return attend\n    return inner",
    ],
)
def test_mentions_anywhere_in_a_factory_count(tmp_path: Path, factory: str) -> None:
    """Decorators, defaults and inner functions."""
    source = f"import torch\n@torch.compile\ndef attend(): ...\n{factory}\n"
    assert _sites(_find_in(tmp_path, source)) == []


def test_a_site_in_a_factory_is_covered(tmp_path: Path) -> None:
    """The factory traces what it returns."""
    source = "import torch\ndef audit_x():\n    return torch.compile(lambda x: x), ()\n"
    assert _sites(_find_in(tmp_path, source)) == []


def test_only_factories_cover(tmp_path: Path) -> None:
    """Another function is not traced."""
    source = "import torch\n@torch.compile\ndef attend(): ...\ndef helper(): attend\n"
    assert _sites(_find_in(tmp_path, source)) == [(2, "@torch.compile on attend")]


def test_what_is_no_entry_covers_nothing(tmp_path: Path) -> None:
    """Neither by what it mentions nor by what stands in it."""
    source = """\
        import torch
        @torch.compile
        def attend(): ...
        def audit_x(n):
            return torch.compile(attend)
        class audit_y:
            f = torch.compile(lambda x: x)
        """
    assert _sites(_find_in(tmp_path, source)) == [
        (2, "@torch.compile on attend"),
        (
            4,
            "audit_x is no entry point: it has required parameters (n); "
            "give each a default to make it one",
        ),
        (5, "torch.compile(attend)"),
        (6, _lookalike("audit_y", "a class")),
        (7, "torch.compile(lambda x: x)"),
    ]


def test_a_factory_outside_the_scan_covers_nothing(tmp_path: Path) -> None:
    """What is not scanned is not traced."""
    root = _tree(
        tmp_path,
        {
            "a.py": "import torch\ntorch.compile(attend)\n",
            "audit.py": "def audit_x(): return attend\n",
        },
    )
    assert len(find(["a.py"], root=root).uncovered) == 1
    assert find(["a.py", "audit.py"], root=root).uncovered == ()
