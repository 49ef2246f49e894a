#!/usr/bin/env bash
# Fuzzes JSON with LibAFL's stand-in for libFuzzer (the crate libafl_libfuzzer), and checks that it is a campaign of pleach's: the
# corpus is choice sequences that cover the 2-paths, which serde_json alone would not ask for.
#
#     scripts/libafl.sh [SECONDS]
#
# Needs nightly Rust, a C++ compiler, and clang with its headers and libclang (Debian: apt install clang); installs the component llvm-tools of nightly Rust, cargo-fuzz if it is not there, and
# builds LibAFL, which takes minutes. Everything is below fuzz/libafl/target and a scratch directory.
#
# Exit code: 0 if all is well, 1 if not, 2 if something is missing.
set -euo pipefail

readonly seconds=${1:-20}
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    printf 'error: %s\n' "$1" >&2
    tail -n 20 "$scratch/log" >&2 || true
    exit 1
}

missing() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 2
}

[[ $seconds =~ ^[1-9][0-9]*$ ]] || missing "SECONDS is a whole number" "try scripts/libafl.sh 20"
command -v rustup >/dev/null || missing "rustup is not installed" "see https://rustup.rs"
[ -n "${LIBCLANG_PATH:-}" ] || command -v clang >/dev/null ||
    missing "LibAFL needs clang, with its headers and libclang" "install it (Debian: apt install clang), or set LIBCLANG_PATH"
rustup component add --toolchain nightly llvm-tools >/dev/null 2>&1 ||
    missing "nightly Rust has no component llvm-tools here" "run: rustup toolchain install nightly"
cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz --version 0.13.2

cd "$root"
cargo build --locked --release --package pleach-cli
cd fuzz/libafl
cargo +nightly fuzz build --fuzz-dir . --sanitizer none json
json=$(find "${CARGO_TARGET_DIR:-$PWD/target}" -type f -path '*/release/json' -perm -u+x | head -n 1)
[ -n "$json" ] || fail "the target is not where cargo-fuzz puts it"

# It knows no -max_total_time.
cd "$scratch"
mkdir corpus
status=0
timeout --signal=INT --kill-after=10 "$seconds" "$json" -close_fd_mask=0 corpus >log 2>&1 || status=$?
[ "$status" -eq 124 ] || fail "the campaign ends by itself, with code $status"

"$root/target/release/pleach" coverage "$root/grammars/json/json.ebnf" corpus --choices -k 3
pairs=$("$root/target/release/pleach" coverage "$root/grammars/json/json.ebnf" corpus --choices -k 2 | sed -n 's/^2-paths *\([0-9]*\) .*/\1/p')
[ "$pairs" -ge 100 ] || fail "the corpus covers $pairs 2-paths of 108"
echo "ok: $(find corpus -type f | wc -l) inputs cover $pairs 2-paths of 108"
