"""Proves sites that see-through adds: mends a model's source, and stock Dynamo shows them.

    python -m tests.scoring.models.proof

For each site a copy of the model's file is written to a folder of its own, in which the lines that
break before it are mended; stock's default trace of the model with that file must show the site.
Prints the lines that stock shows before and after. Exits 1 if a site is not shown, or was before.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from tests.scoring.models.runs import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A site that stock hides, and what has to be mended for it to show."""

    run: str
    module: str
    line: int
    mends: dict[str, str]  # text, each there once -> what stands there instead; as many lines

    @property
    def place(self) -> tuple[str, int]:
        """The file below site-packages, and the line."""
        return f"{self.module.replace('.', '/')}.py", self.line


PROOFS: Final = (
    Proof(
        run="wav2vec2/train",
        module="transformers.models.wav2vec2.modeling_wav2vec2",
        line=215,
        mends={
            "epsilon = np.random.rand(1).item()": "epsilon = 0.5",
            "spec_aug_mask_idx = np.random.choice(": (
                "spec_aug_mask_idx = (lambda among, number, replace: among[:number])("
            ),
        },
    ),
    Proof(
        run="encodec/fwd",
        module="transformers.models.encodec.modeling_encodec",
        line=153,
        mends={"        if length <= max_pad:": "        if False:"},
    ),
    Proof(
        run="qwen2_5_vl/fwd",
        module="transformers.vision_utils",
        line=182,
        mends={
            "for grid_t, grid_h, grid_w in grid_thw.tolist():": (
                "for grid_t, grid_h, grid_w in [[1, 4, 4]]:"
            ),
            "index_new = index_padded[index_padded != -100]": (
                "index_new = index_padded[: grid_t * llm_grid_h * llm_grid_w]"
            ),
        },
    ),
    Proof(
        run="switch_transformers/fwd",
        module="transformers.models.switch_transformers.modeling_switch_transformers",
        line=178,
        mends={
            "expert_hit = torch.greater(expert_mask.sum(dim=(-1, -2)), 0).nonzero()": (
                "expert_hit = torch.arange(2)[:, None]"
            ),
            "idx, top_x = torch.where(expert_mask[expert_idx].squeeze(0))": (
                "idx, top_x = torch.zeros(4, dtype=torch.long), torch.arange(4)"
            ),
        },
    ),
)


class Instead(MetaPathFinder):
    """Has one module read from another file."""

    def __init__(self, module: str, path: Path) -> None:
        """Take the module's name and the file to read."""
        self._module = module
        self._path = path

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
        """Give the other file for the module, nothing for any other."""
        if fullname != self._module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._path)


def mended(proof: Proof) -> str:
    """Give the source of the model's file with the earlier lines mended.

    Raises:
        ValueError: The file is another one than the mends are for.
    """
    text = source(proof.module)
    for old, new in proof.mends.items():
        if text.count(old) != 1:
            raise ValueError(f"{proof.module}: {text.count(old)} times {old!r}")
        text = text.replace(old, new)
    return text


def shown(proof: Proof, text: str) -> list[int]:
    """Trace the run with another source of the module, in a process of its own.

    Returns:
        The lines of that module at which stock's default trace breaks.
    """
    with TemporaryDirectory() as name:
        path = Path(name, "site-packages", *proof.module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True)
        path.write_text(text)
        command = [sys.executable, "-m", "tests.scoring.models.proof", proof.run, proof.module]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
        lines: list[int] = json.loads(done.stdout.splitlines()[-1])
        return lines


def main() -> int:
    """Prove every site; the exit code."""
    failed = False
    for proof in PROOFS:
        before, after = shown(proof, source(proof.module)), shown(proof, mended(proof))
        holds = proof.line in after and proof.line not in before
        failed |= not holds
        verdict = "proved" if holds else "NOT PROVED"
        sys.stdout.write(f"{verdict} {proof.run}: {proof.module} line {proof.line}\n")
        sys.stdout.write(f"    stock shows {before}, with {len(proof.mends)} mended {after}\n")
    return int(failed)


def source(module: str) -> str:
    """Give the source of an installed module, without importing it."""
    package, *rest = module.split(".")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent.joinpath(*rest).with_suffix(".py").read_text()


def _lines(run: str, module: str, path: str) -> list[int]:
    sys.path.insert(0, str(FOLDER))
    sys.meta_path.insert(0, Instead(module, Path(path)))
    from hf_models import build  # type: ignore[import-not-found] # needs FOLDER on the path

    call, args, kwargs = build(*run.split("/"))
    with _breaks() as found:
        torch.compile(call, backend="eager")(*args, **kwargs)
    return sorted({line for file, line in found if file == path})


@contextlib.contextmanager
def _breaks() -> Iterator[list[tuple[str, int]]]:
    """Note where Dynamo breaks: the deepest frame outside torch."""
    found: list[tuple[str, int]] = []
    ours: Any = InstructionTranslatorBase
    original: Callable[..., None] = ours.log_graph_break
    torch_folder = str(Path(torch.__file__).parent)

    def log_graph_break(self: Any, code_options: Any, reason: str, exc: Any) -> None:
        frames = [one for one in exc.real_stack if not one.filename.startswith(torch_folder)]
        if frames:
            found.append((frames[-1].filename, frames[-1].lineno or 0))
        original(self, code_options, reason=reason, exc=exc)

    ours.log_graph_break = log_graph_break
    try:
        yield found
    finally:
        ours.log_graph_break = original


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        answer = _lines(*sys.argv[1:])
    sys.stdout.write(json.dumps(answer) + "\n")
