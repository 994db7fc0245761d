#!/usr/bin/env -S python3 -I -S
"""A pretend benchmark: it takes IOR's options and writes IOR's JSON, but its figures are a formula of its options.

It marks itself as IOR-4.1.0+pretend. The variable PRETEND_RULES, a JSON list of [words, fault], makes it misbehave
where all words are among its options and MPI-IO hints (`name=value`); the first rule that applies counts. The words
"first:FILE" and "later:FILE" apply before and after FILE was made, which the first makes.
"""

import json
import math
import os
import signal
import subprocess
import sys
import time
import zlib

VALUED = "abdfijlostADGMNOQTX"
MIB = 2**20


def parse(words: list[str]) -> tuple[dict[str, str], dict[str, str], str]:
    """Return short options, directives of -O, and the file of hints."""
    options: dict[str, str] = {}
    directives: dict[str, str] = {}
    hints = ""
    rest = iter(words)
    for word in rest:
        if word.startswith("--mpiio.hintsFileName="):
            hints = word.partition("=")[2]
        elif word == "-O":
            name, _, value = next(rest).partition("=")
            directives[name] = value
        elif word[1:] in VALUED:
            options[word[1:]] = next(rest)
        else:
            options[word[1:]] = "1"
    return options, directives, hints


def size(text: str) -> int:
    factor = {"k": 2**10, "m": 2**20, "g": 2**30}.get(text[-1].lower(), 1)
    return int(text[:-1]) * factor if factor > 1 else int(text)


def read_hints(path: str) -> dict[str, str]:
    if not path:
        return {}
    with open(path) as file:
        lines = [line.strip().removeprefix("IOR_HINT__MPI__") for line in file]
    return dict(line.split("=", 1) for line in lines if line)


def bandwidth(options: dict[str, str], hints: dict[str, str]) -> float:
    """MiB/s, the same for the same options and hints: what is known to matter most is planted in it."""
    gain = 0.25 * math.log2(size(options["t"]))
    gain += 0.8 * ("w" in options) + 0.1 * ("c" in options) + 0.05 * (options["a"] == "MPIIO")
    gain += {"enable": -0.5, "disable": 0.5}.get(hints.get("romio_ds_write", ""), 0.0)
    heard = sorted((k, v) for k, v in hints.items() if k not in ("romio_servers", "romio_placement"))  # paid for alone
    told = json.dumps([sorted((k, v) for k, v in options.items() if k not in "oGk"), heard])
    wobble = zlib.crc32(told.encode()) % 1000 / 1000 - 0.5
    return 20.0 * math.exp(gain + 0.1 * wobble)


def fault(words: list[str], hints: dict[str, str]) -> str:
    known = {*words, *(f"{k}={v}" for k, v in hints.items())}
    for wanted, what in json.loads(os.environ.get("PRETEND_RULES", "[]")):
        plain = [w for w in wanted if ":" not in w]
        marks = [w.partition(":")[::2] for w in wanted if ":" in w]
        if not set(plain) <= known:
            continue
        if all(os.path.exists(path) == (kind == "later") for kind, path in marks):
            for kind, path in marks:
                if kind == "first":
                    open(path, "w").close()
            return str(what)
    return ""


def summary(
    options: dict[str, str], words: list[str], figure: object, tasks: int, told: dict[str, object]
) -> dict[str, object]:
    now = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime())
    block, transfer = size(options["b"]), size(options["t"])
    segments = int(options.get("s", "1"))
    reads = int("r" in options or "R" in options)
    moved = tasks * block * segments / MIB
    result = {
        "access": "write" if "w" in options else "read",
        "bwMiB": figure,
        "blockKiB": block / 1024,
        "xferKiB": transfer / 1024,
        "iops": 1.0,
        "totalTime": moved / figure if isinstance(figure, float) and 0 < figure < math.inf else 1.0,
        # real output is never twice the same, and a run is known by its output's hash
        "openTime": time.time(),
    }
    parameters = {
        "testID": 0,
        "api": options["a"],
        "testFileName": options["o"],
        "nodes": 1,
        "tasksPerNode": tasks,
        "repetitions": int(options.get("i", "1")),
        "readFile": reads,
        "writeFile": int("w" in options),
        "checkRead": int("R" in options),
        "filePerProc": int("F" in options),
        "randomOffset": int("z" in options),
        "collective": int("c" in options),
        "segmentCount": segments,
        "transferSize": transfer,
        "blockSize": block,
    }
    test = {
        "TestID": 0,
        "StartTime": now,
        "Parameters": parameters,
        "Options": {"api": options["a"], "apiVersion": "", "tasks": tasks, "repetitions": parameters["repetitions"]},
        "Results": [result] * int(options.get("i", "1")),
    }
    if told:
        test["Hints"] = told
    heading = {"Version": "4.1.0+pretend", "Began": now, "Command line": " ".join(words), "Machine": "Linux pretend"}
    return {**heading, "tests": [test], "summary": [], "Finished": now}


FIGURES = {"zero": 0.0, "negative": -5.0, "nan": math.nan, "inf": math.inf, "huge": 10**400}
OTHER = {
    "transfer": ("t", "8"),
    "block": ("b", "8"),
    "api": ("a", "HDF5"),
    "shared": ("F", "1"),
    "read instead": ("r", "1"),
}


def told_hints(what: str, asked: dict[str, str]) -> dict[str, object]:
    """Return what it tells of hints, as acic-bench does with Open MPI: OMPIO takes none, its ROMIO those of a file."""
    if what == "ompio":
        return {"asked": asked, "in force": {}, "not in force": list(asked)} if asked else {}
    if what != "romio of Open MPI":
        return {}
    by_romio = os.environ.get("OMPI_MCA_io") == "^ompio"  # noqa: SIM112  # as Open MPI spells it
    in_force = {"romio_ds_write": "automatic"} if by_romio else {}
    if by_romio and "ROMIO_HINTS" in os.environ and not asked:
        with open(os.environ["ROMIO_HINTS"]) as file:
            in_force |= dict(line.split() for line in file)
    return {"asked": asked, "in force": in_force, "not in force": list(asked)}


def told(what: str, options: dict[str, str], words: list[str]) -> str:
    """Return what it writes into its summary."""
    claimed = dict(options)
    if what in OTHER:
        name, value = OTHER[what]
        claimed[name] = value
        if what == "read instead":
            del claimed["w"]
    tasks = int(options.get("N", os.environ.get("PMI_SIZE", "1"))) + (what == "tasks")
    tasks = 1 if what.startswith("alone") else tasks
    hints = read_hints(parse(words)[2])
    figure = FIGURES.get(what, bandwidth(options, hints))
    content = summary(claimed, words, figure, tasks, told_hints(what, hints))
    text = json.dumps(content, indent=1).replace("Infinity", "inf")
    if what == "wrong":
        text = text.replace('"Finished"', '"Gave up"')
    texts = {"garbage": "\x00\xff{[<not JSON>" * 50, "deep": "[" * 200_000, "empty": "", "half": text[: len(text) // 2]}
    return texts.get(what, text)


def misbehave(what: str, options: dict[str, str]) -> None:
    if what == "background":  # a process of its own, which outlives the benchmark
        subprocess.Popen(["sleep", "3600"], start_new_session=True, stdout=-3, stderr=-3, stdin=-3)
    elif what == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "error":
        sys.stderr.write("ERROR: open64() failed, errno 5, Input/output error (aiori-POSIX.c:412)\n")
    elif what == "loader":
        sys.stderr.write("ior: error while loading shared libraries: libmpi.so.12: cannot open shared object file\n")
    elif what == "wrong":
        sys.stderr.write("acic-bench: incorrect data on read (1 errors found), first in data.0\n")
    elif what == "vanish":
        os.rename(os.path.dirname(os.path.dirname(options["o"])), os.environ["PRETEND_AWAY"])


def main() -> None:
    words = sys.argv[1:]
    options, directives, hints_file = parse(words)
    if os.environ.get("PMI_RANK", "0") != "0":
        time.sleep(0.005)
        return
    what = fault(words, read_hints(hints_file))
    if "w" in options:
        with open(options["o"], "wb") as data:
            data.write(b"pretended")
    time.sleep(3600 if what == "hang" else float(os.environ.get("PRETEND_SECONDS", "0.005")))
    misbehave(what, options)
    if what not in ("nothing", "error", "quiet", "loader"):
        with open(directives["summaryFile"], "w", errors="replace") as out:
            out.write(told(what, options, words))
    sys.exit(
        {"wrong": 2, "status": 3, "alone, and failed": 255, "error": 255, "quiet": 255, "loader": 127}.get(what, 0)
    )


main()
