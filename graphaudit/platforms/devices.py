"""The figures of the devices that are simulated, each with where it is published.

A figure without a public source is None, and asking for it raises `NotSimulated`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_KIB: Final = 1024
_MIB: Final = 1024**2
_GIB: Final = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One device. Sizes in bytes; names are those of torch's device properties."""

    name: str
    total_memory: int
    major: int | None = None
    minor: int | None = None
    multi_processor_count: int | None = None
    warp_size: int | None = None
    max_threads_per_multi_processor: int | None = None
    max_threads_per_block: int | None = None
    regs_per_multiprocessor: int | None = None
    shared_memory_per_block: int | None = None
    shared_memory_per_block_optin: int | None = None
    shared_memory_per_multiprocessor: int | None = None
    L2_cache_size: int | None = None
    gcnArchName: str | None = None  # noqa: N815 - as torch spells it
    arch_list: tuple[str, ...] = ()  # what a build of torch for it is compiled for


def h100() -> Device:
    """H100 SXM5, 80 GB.

    Compute capability, threads, registers and shared memory (228 KB a multiprocessor, 227 KB a
    block on request, 48 KB without): the CUDA C++ Programming Guide, table of technical
    specifications by compute capability, and the Hopper Tuning Guide. 132 multiprocessors, 50 MB
    of L2, 80 GB: the Hopper architecture white paper. Memory is nominal: a card
    shows a little less.
    """
    return _nvidia(
        name="NVIDIA H100 80GB HBM3",
        total_memory=80 * _GIB,
        major=9,
        multi_processor_count=132,
        l2_cache_size=50 * _MIB,
    )


def h200() -> Device:
    """H200 SXM, 141 GB.

    The multiprocessors of the H100: the H200 data sheet, which says 141 GB. Memory and L2 are what
    a card answers (`python -m tests.platforms.against_a_device`).
    """
    return _nvidia(
        name="NVIDIA H200",
        total_memory=150_109_880_320,
        major=9,
        multi_processor_count=132,
        l2_cache_size=60 * _MIB,
    )


def b200() -> Device:
    """B200, 180 GB.

    Compute capability 10.0 and what a multiprocessor has: the CUDA C++ Programming Guide and the
    Blackwell Tuning Guide. 148 multiprocessors: chipsandcheese.com, "Nvidia's B200: Keeping the
    CUDA Juggernaut Rolling". 180 GB: the DGX B200 data sheet (1,440 GB in eight). The size of the
    L2 is published in several versions, and so left out.
    """
    return _nvidia(
        name="NVIDIA B200",
        total_memory=180 * 10**9,
        major=10,
        multi_processor_count=148,
    )


def mi300x() -> Device:
    """Instinct MI300X, 192 GiB.

    304 compute units, wavefronts of 64, 64 KiB of LDS, gfx942, version 9.4, 192 GiB: AMD's
    "Accelerator and GPU hardware specifications" in the ROCm documentation. The features behind the
    architecture's name are those of the HIP documentation's example for the MI300 series. ROCm
    answers the L2 of one die, 4 MiB (the same table: 32 MiB, 4 per XCD). 65,536 registers: what
    Inductor asked a card and wrote into kernels that were published, as
    `DeviceProperties(type='hip', cc='gfx942', regs_per_multiprocessor=65536, ...)`; the other
    figures there are those above.
    """
    return Device(
        name="AMD Instinct MI300X",
        total_memory=192 * _GIB,
        major=9,
        minor=4,
        multi_processor_count=304,
        warp_size=64,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65_536,
        shared_memory_per_block=64 * _KIB,
        shared_memory_per_multiprocessor=64 * _KIB,
        L2_cache_size=4 * _MIB,
        gcnArchName="gfx942:sramecc+:xnack-",
        arch_list=("gfx90a", "gfx942"),
    )


def s4000() -> Device:
    """MTT S4000, 48 GB.

    48 GB of memory: Moore Threads' announcement of December 2023, as reported by techpowerup.com
    and tomshardware.com. Nothing else that torch asks for is published.
    """
    return Device(name="MTT S4000", total_memory=48 * _GIB)


def ascend_910b() -> Device:
    """Ascend 910B, 64 GB.

    64 GB of HBM2e: Huawei's Atlas 800T A2 product page. The number of cores differs between the
    variants B1 to B4, and so is left out.
    """
    return Device(name="Ascend910B", total_memory=64 * _GIB)


NAMED: Final = {
    "H100": h100,
    "H200": h200,
    "B200": b200,
    "MI300X": mi300x,
    "S4000": s4000,
    "910B": ascend_910b,
}

# what torch's own wheels for CUDA 13 are compiled for
_CUDA_ARCHS: Final = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")


def _nvidia(
    *,
    name: str,
    total_memory: int,
    major: int,
    multi_processor_count: int,
    l2_cache_size: int | None = None,
) -> Device:
    """Make a device of compute capability 9.0 or 10.0: their multiprocessors have the same."""
    return Device(
        name=name,
        total_memory=total_memory,
        major=major,
        minor=0,
        multi_processor_count=multi_processor_count,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65_536,
        shared_memory_per_block=48 * _KIB,
        shared_memory_per_block_optin=227 * _KIB,
        shared_memory_per_multiprocessor=228 * _KIB,
        L2_cache_size=l2_cache_size,
        arch_list=_CUDA_ARCHS,
    )
