"""Audits real code on a simulated cuda device, and holds what is found against what is known.

    python -m tests.real

Fetches wheels of sglang and FlashAttention 4 and unpacks them: nothing is installed, and what they
need that is not here gets a stand-in. Exits 1 if anything differs; without the package index it
says so and exits 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.real.wheels import OfflineError, unpacked

_ROOT: Final = Path(__file__).parents[2]
_AUDITED: Final = Path(__file__).with_name("audited")
# `--stub auto` imports a file once for each package that it lacks, and sglang lacks twenty
_TIME_S: Final = 600
# what an entry showed: clean, or Dynamo's ids of what must be mended, and
# whether the list may lack some; or what stops fullgraph, and then which stub was called
_PROBES: Final = {
    "is_hip": "clean",
    "is_cuda": "clean",
    "is_npu": "clean",
    "is_xpu": "clean",
    "is_cpu": "GB0208",
    "is_sm100_supported": "GB0156",
}
_BEFORE: Final = {"is_musa": "GB0069", "is_dsa_enable_prefill_cp": "GB0069"}
_AFTER: Final = {"is_musa": "clean", "is_dsa_enable_prefill_cp": "clean"}
_LAYERS: Final = {
    "silu_and_mul": "clean",
    "gelu_and_mul_native": "clean",
    "rms_norm": "stub of sgl_kernel",
    "rms_norm_native": "clean",
    "rotary_embedding": "clean",
    "rotary_embedding_native": "clean",
}
# its own question for a fake mode; with the real cutlass the call would go on
_BROKEN: Final = "GB0007 in {}/flash_attn/cute/testing.py, then stub of cutlass"
_ATTENTION: Final = {"operator": "clean"}
# what is loaded by the first call: Dynamo stops at the logger, and at what sglang marks as eager
_LOADS: Final = "GB0291 in <site-packages>/sglang/kernels/ops/kvcache/kvcache.py"
_BACKEND: Final = {
    "extend_first": f"{_LOADS}, then stub of sgl_kernel",
    "decode_first": f"{_LOADS}, then stub of sgl_kernel",
    "extend_first_by_operator": "GB0098, GB0291",
    "decode_first_by_operator": "GB0098, GB0291",
    "extend": "clean",
    "decode": "clean",
}
# GB2404 and GB0156: a msgspec.Struct is made, and changed, for each output that a layer hands on
_DECODER: Final = {
    "llama": "stub of sgl_kernel",
    "qwen3": "stub of sgl_kernel",
    "llama_decode": "GB0156, GB2404, maybe more",
    "qwen3_decode": "GB0156, GB2404, maybe more",
    "llama_decode_residual_mended": "GB2404",
    "llama_decode_mended": "clean",
    "qwen3_decode_mended": "clean",
    "llama_prefill_mended": "clean",
    "qwen3_prefill_mended": "clean",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """One scan, and what is known of its entries."""

    wheel: str
    file: str
    expected: dict[str, str]
    options: tuple[str, ...] = ()


_CHECKS: Final = (
    _Check(wheel="sglang==0.5.20", file="sglang_probes.py", expected=_PROBES | _BEFORE),
    _Check(wheel="sglang==0.5.22", file="sglang_probes.py", expected=_PROBES | _AFTER),
    _Check(wheel="sglang==0.5.22", file="sglang_layers.py", expected=_LAYERS),
    _Check(wheel="sglang==0.5.22", file="sglang_backend.py", expected=_BACKEND),
    _Check(wheel="sglang==0.5.22", file="sglang_decoder.py", expected=_DECODER),
    _Check(
        wheel="flash-attn-4==4.0.0b36",
        file="flash_attention.py",
        expected=_ATTENTION | {"flash_attn_func": _BROKEN.format("<site-packages>")},
    ),
    _Check(
        wheel="flash-attn-4==4.0.0b36",
        file="flash_attention.py",
        expected=_ATTENTION | {"flash_attn_func": _BROKEN.format("site-packages")},
        options=("--root", "flash_attn"),
    ),
)


def main() -> int:
    """Do all checks; the exit code."""
    wrong = 0
    for check in _CHECKS:
        try:
            site = unpacked(check.wheel)
        except OfflineError as error:
            sys.stdout.write(f"skipped {check.wheel}: {error}\n")
            continue
        wrong += _checked(check, scan(check, site))
    return 1 if wrong else 0


def scan(check: _Check, site: Path) -> dict[str, Any]:
    """Scan one file with a wheel on the path; the report."""
    command = [sys.executable, "-m", "graphaudit", "scan", check.file, "--platform", "cuda"]
    command += ["--stub", "auto", "--timeout", str(_TIME_S), "--output-format", "json"]
    path = os.pathsep.join(map(str, (_ROOT, site)))
    done = subprocess.run(
        [*command, *check.options],
        cwd=_AUDITED,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        sys.exit(f"{check.wheel}, {check.file}: no report: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _checked(check: _Check, report: dict[str, Any]) -> int:
    stubs = ", ".join(report["environment"]["stubs"])
    scanned = " ".join([check.file, *check.options])
    sys.stdout.write(f"{check.wheel}, {scanned} (stubs: {stubs})\n")
    found = {
        entry["id"].partition("::audit_")[2]: _shown(entry, report) for entry in report["entries"]
    }
    wrong = 0
    for name, expected in check.expected.items():
        shown = found.get(name, "not there")
        wrong += shown != expected
        mark = "" if shown == expected else f"  EXPECTED {expected}"
        sys.stdout.write(f"    {name:<28} {shown}{mark}\n")
    return wrong


def _shown(entry: dict[str, Any], report: dict[str, Any]) -> str:
    message: str = entry["message"]
    stub = message.partition("the stub of ")[2].partition(" ")[0]
    if entry["outcome"] == "error" and not stub:
        return f"error: {message}"
    found = [one for one in report["findings"] if one["entry"] == entry["id"] and one["gates"]]
    if entry["outcome"] == "breaks":
        return _listed(found) + ("" if entry["complete"] else ", maybe more")
    verdict = entry["fullgraph"]
    broken = [one for one in found if one["gb"] and one["gb"] == verdict["gb"]]
    # of several alike, the one that fullgraph met
    broken.sort(key=lambda one: (one["library"] or one)["line"] != verdict["line"])
    told = [f"{one['gb']} in {(one['library'] or one)['path']}" for one in broken[:1]]
    return ", then ".join([*told, *([f"stub of {stub}"] if stub else [])]) or entry["outcome"]


def _listed(found: list[dict[str, Any]]) -> str:
    return ", ".join(sorted({one["gb"] or one["rule"] for one in found}))


if __name__ == "__main__":
    sys.exit(main())
