"""The programs that measure: IOR, and acic-bench, which takes IOR's options and is built where it is needed."""

from acic.benchmarks.benchmark import Benchmark, hints_text
from acic.benchmarks.finding import find_benchmark

__all__ = ["Benchmark", "find_benchmark", "hints_text"]
