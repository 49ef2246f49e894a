#!/usr/bin/env bash
# Learns what inputs reach in some programs, and prints how well the trees predict and how well inputs are aimed: the tables 8 to 11 of the
# article in TOSEM, on Rust programs.
#
#     scripts/associate.sh [--targets a,b] [-n 1000] [-o FILE] [--force] [-- OPTIONS]
#
# The programs are fuzz targets of fuzz/ and of fuzz/arena/parsers; OPTIONS go to `pleach associate`, as in `-- --k-paths-only`. Of each program,
# 1000 random sentences are learned from, the trees are tried on 1000 others, and ten inputs are made for every function. What is
# finished is kept in fuzz/target/arena/associate, and the same command goes on from there; --force begins anew. Needs what scripts/evaluate.sh
# needs, and cargo-fuzz.
#
# Exit code: 0 if it is done, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
exec "$root/scripts/evaluate.sh" associate "$@"
