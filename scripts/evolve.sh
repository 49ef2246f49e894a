#!/usr/bin/env bash
# Runs campaigns with goals on some programs, and ways to make inputs without goals, and prints what they come to: FdLoop's questions 1 to 3, on
# Rust programs.
#
#     scripts/evolve.sh [--targets a,b] [-n 200] [--generations 20] [--seeds 3] [--ablations] [-o FILE] [--force]
#
# The programs are fuzz targets of fuzz/; the seeds are the texts of corpus/. What is finished is kept in fuzz/target/arena/evolve, and the same
# command goes on from there; --force begins anew. Needs what scripts/evaluate.sh needs, and cargo-fuzz.
#
# Exit code: 0 if it is done, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
exec "$root/scripts/evaluate.sh" evolve "$@"
