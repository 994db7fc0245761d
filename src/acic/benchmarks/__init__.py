"""The programs that measure: IOR, and acic-bench, which takes IOR's options and is built where it is needed."""

from acic.benchmarks.benchmark import ACIC_BENCH, Benchmark, hints_text
from acic.benchmarks.finding import find_benchmark

__all__ = ["ACIC_BENCH", "Benchmark", "find_benchmark", "hints_text"]
