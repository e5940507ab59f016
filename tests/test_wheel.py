"""What is shipped: the tool alone, complete."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_ships_graphaudit_alone(tmp_path: Path) -> None:
    """`engine`, `kernels` and `probes` are too general as names to install."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(tmp_path), str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name for name in names if not name.partition("/")[0].endswith(".dist-info")}
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "graphaudit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert shipped == expected
    assert any(name.endswith("licenses/LICENSE") for name in names)
