#!/usr/bin/env python3
"""Compares `pleach reduce` with other ways to make a crashing input small.

    scripts/reduction.py [--packages NAME,...] [--bytes N] [--work DIR] [--shrinkray PROGRAM] [--seconds N]

The inputs are those of the bug bench (fuzz/arena/bugs), each among generated sentences of its grammar, so that it has N bytes (3000), or
fewer where the program takes no more, and still fails in the same place. Each way gets the same input and the same program, built as cargo-fuzz builds it, and is ended after
--seconds (300):

  pleach     pleach reduce
  bytes      pleach reduce --bytes
  tmin       what `cargo fuzz tmin` runs, 255 runs for each smaller input, on the bytes of the text
  pleach's   the same with pleach's mutator, text codec
  shrinkray  shrinkray, if it is installed (pip install 'shrinkray<26'), with a test that looks for the place of the panic

Prints a table in Markdown: bytes, runs, and seconds of each; a result that fails in another place has its bytes in brackets. Needs cargo, the
engine's compiler, and `pleach` (built from this directory). Nothing is written but below --work (fuzz/target/reduction).
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUGS = ROOT / "fuzz/arena/bugs"
TRIPLE = "x86_64-unknown-linux-gnu"
# Those of cargo-fuzz, without a sanitizer.
RUSTFLAGS = " ".join(
    ["--cfg fuzzing", "-Cpasses=sancov-module"]
    + [
        f"-Cllvm-args=-sanitizer-coverage-{it}"
        for it in ("level=4", "inline-8bit-counters", "pc-table", "trace-compares")
    ]
    + ["-Cdebug-assertions", "-Ccodegen-units=1"]
)
WAYS = ["pleach", "bytes", "tmin", "pleach's", "shrinkray"]


def say(message):
    print(message, file=sys.stderr, flush=True)


def run(command, **options):
    return subprocess.run(command, capture_output=True, **options)


def build(package, work):
    """The programs `text` and `raw` of a package."""
    built = work / "programs" / package.name
    target = work / "target"
    environment = {**os.environ, "RUSTFLAGS": RUSTFLAGS, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "build", "--release", "--target", TRIPLE, "--bin", "text", "--bin", "raw"]
    subprocess.run(command, cwd=package, env=environment, check=True)
    built.mkdir(parents=True, exist_ok=True)
    for name in ("text", "raw"):
        shutil.copy2(target / TRIPLE / "release" / name, built / name)
    return built


def place(program, file):
    """Where a program panics on a file, if it does."""
    output = run([program, file]).stderr.decode(errors="replace")
    found = re.search(r"panicked at ([^\n]*?):?\n", output)
    return found and found[1]


def embedded(package, about, bug, pleach, program, work, size):
    """The input of a bug among generated sentences, and where it fails."""
    text = (package / bug["input"]).read_bytes()
    grammar = ROOT / about["grammar"]
    file = work / "input"
    file.write_bytes(text)
    wanted = place(program, file)
    if wanted is None:
        return None
    for seed in range(1, 6):
        folder = work / "filler"
        shutil.rmtree(folder, ignore_errors=True)
        command = [pleach, "generate", grammar, "-n", "60", "--max-len", "300", "-o", folder]
        subprocess.run([*command, "--random-seed", str(seed)], check=True, capture_output=True)
        texts = [it.read_bytes() for it in sorted(folder.iterdir()) if it.is_file()]
        fillers = []
        for filler in texts:
            # Those that fail by themselves would hide the bug.
            file.write_bytes(filler)
            if place(program, file) is None:
                fillers.append(filler)
        # Some programs take no long texts.
        for most in (size, size // 4, 200):
            for whole in wholes(package.name, text, fillers, most):
                file.write_bytes(whole)
                if place(program, file) == wanted:
                    return whole, wanted
    return None


def wholes(name, text, fillers, size):
    """The text in the middle of others, joined as its language joins texts."""
    if name.startswith("url"):
        letters = re.sub(rb"[^a-z0-9/.]", b"", b"".join(fillers))
        yield text.rstrip() + (b"&" if b"?" in text else b"?") + letters[:size]
        yield text.rstrip() + b"#" + letters[:size]
        return
    joint = {"regex": b"|", "markd": b"\n\n", "pulld": b"\n\n"}.get(name[:5], b"")
    for first in range(0, max(1, len(fillers) - 4), 4):
        rest = fillers[first:] + fillers[:first]
        chosen, length = [], len(text)
        for filler in rest:
            if length >= size:
                break
            chosen.append(filler)
            length += len(filler)
        half = len(chosen) // 2
        yield joint.join(chosen[:half] + [text] + chosen[half:])
        yield joint.join([text] + chosen)


def by_pleach(case, options):
    output = case["work"] / "reduced"
    command = [case["pleach"], "reduce", "subject", case["file"], "--program", case["programs"] / "text"]
    command += ["--text", "--json", "-o", output, "--force", *options]
    done = run(command, timeout=case["seconds"])
    if done.returncode != 0:
        say(done.stderr.decode(errors="replace"))
        return None
    return output.read_bytes(), json.loads(done.stdout)["runs"]


def by_tmin(case, program):
    folder = case["work"] / "tmin"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [case["programs"] / program, "-minimize_crash=1", "-runs=255", "-print_final_stats=1", "-seed=1"]
    command += [f"-artifact_prefix={folder}/", case["file"]]
    try:
        done = run(command, timeout=case["seconds"])
        said = done.stderr + done.stdout
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"") + (late.stdout or b"")
    runs = sum(int(it) for it in re.findall(rb"stat::number_of_executed_units: (\d+)", said))
    results = [it.read_bytes() for it in folder.iterdir()]
    smallest = min(results, key=len, default=case["file"].read_bytes())
    return smallest, runs


def by_shrinkray(case):
    folder = case["work"] / "shrinkray"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    runs, test, file = folder / "runs", folder / "test.sh", folder / "input"
    shutil.copy(case["file"], file)
    program = case["programs"] / "raw"
    test.write_text(
        f"#!/bin/sh\necho >> {runs}\nexec {program} \"$1\" 2>&1 | grep -qF 'panicked at {case['place']}'\n"
    )
    test.chmod(0o755)
    command = [case["shrinkray"], "--ui=basic", "--volume=quiet", "--no-clang-delta", "--input-type=arg", "--parallelism=1", test, file]
    try:
        done = run(command, timeout=case["seconds"], stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            say(done.stderr.decode(errors="replace")[-2000:])
    except subprocess.TimeoutExpired:
        pass
    return file.read_bytes(), len(runs.read_bytes()) if runs.exists() else 0


def measure(case, way):
    begun = time.monotonic()
    try:
        found = {
            "pleach": lambda: by_pleach(case, []),
            "bytes": lambda: by_pleach(case, ["--bytes"]),
            "tmin": lambda: by_tmin(case, "raw"),
            "pleach's": lambda: by_tmin(case, "text"),
            "shrinkray": lambda: by_shrinkray(case),
        }[way]()
    except subprocess.TimeoutExpired:
        found = None
    seconds = time.monotonic() - begun
    if found is None:
        return None
    text, runs = found
    file = case["work"] / "result"
    file.write_bytes(text)
    same = place(case["programs"] / "raw", file) == case["place"]
    say(f"  {way}: {len(text)} bytes, {runs} runs, {seconds:.1f} s{'' if same else ', ANOTHER PLACE'}: {text[:100]!r}")
    return {"bytes": len(text), "runs": runs, "seconds": seconds, "same": same, "text": text.decode(errors="replace")}


def cell(result):
    if result is None:
        return "–"
    size = str(result["bytes"]) if result["same"] else f"({result['bytes']})"
    return f"{size} / {result['runs']} / {result['seconds']:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    packages = sorted(it.name for it in BUGS.iterdir() if (it / "subject.toml").exists())
    parser.add_argument("--packages", default=",".join(packages))
    parser.add_argument("--bytes", type=int, default=3000)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--work", type=Path, default=ROOT / "fuzz/target/reduction")
    parser.add_argument("--pleach", type=Path, default=ROOT / "target/release/pleach")
    parser.add_argument("--shrinkray", default=shutil.which("shrinkray"))
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    ways = [it for it in WAYS if it != "shrinkray" or arguments.shrinkray]
    rows = []
    for name in arguments.packages.split(","):
        package = BUGS / name
        programs = build(package, work)
        about = tomllib.loads((package / "subject.toml").read_text())
        for bug in about["bugs"]:
            found = embedded(package, about, bug, arguments.pleach, programs / "raw", work, arguments.bytes)
            if found is None:
                say(f"{name} {bug['name']}: no large input fails in the same place")
                continue
            whole, where = found
            file = work / "large"
            file.write_bytes(whole)
            case = {
                "file": file,
                "place": where,
                "programs": programs,
                "work": work,
                "pleach": arguments.pleach,
                "shrinkray": arguments.shrinkray,
                "seconds": arguments.seconds,
            }
            say(f"{name} {bug['name']}: {len(whole)} bytes, {where}")
            results = {way: measure(case, way) for way in ways}
            public = len((package / bug["input"]).read_bytes())
            rows.append({"case": f"{name}, `{bug['name']}`", "from": len(whole), "public": public, **results})
            (work / "results.json").write_text(json.dumps(rows, indent=1))
    print("| input | bytes | public | " + " | ".join(ways) + " |")
    print("|---|---|---|" + "---|" * len(ways))
    for row in rows:
        cells = " | ".join(cell(row[way]) for way in ways)
        print(f"| {row['case']} | {row['from']} | {row['public']} | {cells} |")

    def median(way, key):
        return statistics.median([row[way][key] for row in rows if row[way]] or [0])

    cells = (f"{median(it, 'bytes'):g} / {median(it, 'runs'):g} / {median(it, 'seconds'):.1f}" for it in ways)
    print("| median | | | " + " | ".join(cells) + " |")


main()
