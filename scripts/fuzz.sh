#!/usr/bin/env bash
# Fuzzes one of the targets under fuzz/ and reports what the campaign has reached.
#
#     scripts/fuzz.sh [TARGET] [SECONDS] [-- ENGINE FLAGS]
#
# Needs stable Rust and a C++ compiler. What else is missing is installed: cargo-fuzz. The corpus is fuzz/corpus/TARGET; an
# empty one is seeded from corpus/TARGET, or else with a covering set. Called again, it goes on from there.
#
# Exit code: 0 if the time ended, 1 if an input failed, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

# Where k-paths are reported: up to k = 4. The seeds cover k = 2.
readonly report_k=4 seed_k=2
readonly cargo_fuzz_version=0.13.2

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "error: $1"
    say "help: $2"
    exit 2
}

targets() {
    local file
    for file in fuzz/fuzz_targets/*.rs; do
        basename "$file" .rs
    done
}

target=json
seconds=60
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    target=$1
    shift
fi
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    seconds=$1
    shift
fi
case $seconds in
'' | 0 | *[!0-9]*) die "SECONDS is a whole number from 1 on, not \`$seconds\`" "scripts/fuzz.sh json 60" ;;
esac
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    die "unexpected \`$1\`" "scripts/fuzz.sh [TARGET] [SECONDS] [-- ENGINE FLAGS]"
fi
# Not `grep -q`: it would close the pipe early, which counts as a failure here.
if ! targets | grep -xF -- "$target" >/dev/null; then
    die "there is no fuzz target \`$target\`" "the targets are $(targets | paste -sd ' ' -)"
fi

command -v cargo >/dev/null || die "cargo is not installed" "install Rust by rustup, https://rustup.rs"
command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
    die "there is no C++ compiler, which the engine needs" "install g++"
if ! cargo fuzz --version >/dev/null 2>&1; then
    say "installing cargo-fuzz $cargo_fuzz_version"
    cargo install cargo-fuzz --version "$cargo_fuzz_version" --locked || exit 2
fi

cargo build --release --locked --quiet --bin pleach || exit 2
pleach=${CARGO_TARGET_DIR:-target}/release/pleach

grammar=grammars/$target/$target.ebnf
corpus=fuzz/corpus/$target
if [ -z "$(ls -A "$corpus" 2>/dev/null)" ]; then
    mkdir -p "$corpus"
    if [ -n "$(ls -A "corpus/$target" 2>/dev/null)" ]; then
        say "seeding $corpus from corpus/$target"
        cp -R "corpus/$target/." "$corpus/"
    elif [ -f "$grammar" ]; then
        say "seeding $corpus with a covering set"
        # --force: an empty directory is not always without hidden files.
        "$pleach" seed "$grammar" "$corpus" -k "$seed_k" --force >&2
    fi
fi

options=()
if [ -f "$grammar" ]; then
    options+=(--grammar "$grammar" -k "$report_k")
fi
if "$pleach" fuzz "$target" "$seconds" ${options[@]+"${options[@]}"} "$@"; then
    code=0
else
    code=$?
fi
say "the corpus is in $root/$corpus, as choice sequences; read them by"
say "    $pleach decode $grammar $corpus"
exit "$code"
