"""IOR's layout and data, told a second time and from IOR's documentation and files alone: what a run leaves on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
PAGE = 4096
WORD = 8
GOLDEN = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One run: sizes in B."""

    ranks: int
    block: int
    transfer: int
    segments: int = 1
    file_per_process: bool = False

    @property
    def options(self) -> str:
        flag = " -F" if self.file_per_process else ""
        return f"-b {self.block} -t {self.transfer} -s {self.segments}{flag}"

    def transfers(self) -> Iterator[tuple[int, int, int]]:
        """Yield (file, offset, rank) of every transfer; the shared file is number 0, else files have ranks' numbers."""
        for rank in range(self.ranks):
            for segment in range(self.segments):
                for within in range(0, self.block, self.transfer):
                    if self.file_per_process:
                        yield rank, segment * self.block + within, rank
                    else:
                        yield 0, (segment * self.ranks + rank) * self.block + within, rank

    def size(self) -> int:
        return self.segments * self.block * (1 if self.file_per_process else self.ranks)

    def name(self, path: Path, file: int) -> Path:
        return path.with_name(f"{path.name}.{file:08d}") if self.file_per_process else path

    def contents(self, packet: str, signature: int) -> dict[int, Words]:
        """Return each file's words, for packet "t" (IOR's default), "o" (IOR's -l offset) or "v" (ours)."""
        count = self.ranks if self.file_per_process else 1
        files = {f: np.zeros(self.size() // WORD, dtype=np.uint64) for f in range(count)}
        for file, offset, rank in self.transfers():
            start = offset // WORD
            files[file][start : start + self.transfer // WORD] = data(packet, signature, rank, offset, self.transfer)
        return files


def data(packet: str, signature: int, rank: int, offset: int, length: int) -> Words:
    """The words of one transfer."""
    index = np.arange(length // WORD, dtype=np.uint64)
    if packet == "v":
        spread = np.uint64(signature * GOLDEN & MASK)
        return (np.uint64(rank << 44) | (np.uint64(offset // WORD) + index)) ^ spread
    words = np.uint64(rank << 32) | (np.uint64(signature) + index)
    if packet == "o":
        for page in range(0, length, PAGE):
            words[page // WORD] = rank << 32 | (offset * (page // PAGE + 1) & 0xFFFFFFFF)
    return words


def replayed(file: int, offset: int, length: int, *, prepared: bool = False) -> bytes:
    """The bytes of a replay's file: those that -W writes, or those that it was prepared with."""
    first, last = offset // WORD, (offset + length - 1) // WORD
    index = np.arange(first + 1, last + 2, dtype=np.uint64)
    words = index * np.uint64(GOLDEN) ^ np.uint64(file * (GOLDEN << 1 | 1) & MASK)
    whole = (~words if prepared else words).tobytes()
    return whole[offset - first * WORD :][:length]


def words_of(path: Path) -> Words:
    return np.frombuffer(path.read_bytes(), dtype=np.uint64)
