#!/usr/bin/env bash
# Runs random sentences of each grammar in a program that reads its language, and prints a Markdown table of how many it accepts.
#
#     scripts/acceptance.sh [--subjects a,b] [-n 1000] [--random-seed 0] [--refused DIR]
#
# The programs are the subjects of fuzz/arena, and what they refuse and why is in their subject.toml. The same seed gives the same table,
# as long as the grammars and the versions of the crates stay the same. --refused keeps the sentences that are not accepted. Needs what
# scripts/evaluate.sh needs; all programs take some minutes to build, below fuzz/target/arena.
#
# Exit code: 0 if it is done, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
exec "$root/scripts/evaluate.sh" acceptance "$@"
