#!/usr/bin/env bash
# Fuzzes one of the targets under fuzz/ and reports what the campaign has reached.
#
#     scripts/fuzz.sh [TARGET] [SECONDS] [--seeds DIR]... [-- ENGINE FLAGS]
#     scripts/fuzz.sh --list
#
# Needs stable Rust and a C++ compiler. What else is missing is installed: cargo-fuzz. The corpus is fuzz/corpus/TARGET; an
# empty one begins with the texts of corpus/ for the target's grammar. Called again, it goes on from there. --list says which targets there are.
#
# --seeds adds a directory of texts (or one text) to the corpus: as choice sequences, leaving out what is no sentence of the
# grammar, or as they are if the target has `codec: text`. It overwrites nothing, and adds nothing twice.
#
# Exit code: 0 if the time ended, 1 if an input failed, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

# Where k-paths are reported: up to k = 4.
readonly report_k=4
readonly cargo_fuzz_version=0.13.2

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

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

readonly usage='scripts/fuzz.sh [TARGET] [SECONDS] [--seeds DIR]... [-- ENGINE FLAGS]'
words=()
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    --seeds)
        [ $# -gt 1 ] || die "--seeds names no directory" "$usage"
        [ -e "$2" ] || die "$2: there is no such directory" "check the path of the seeds"
        options+=(--seeds "$(CDPATH='' cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")")
        shift
        ;;
    --list)
        cd "$root"
        targets
        exit 0
        ;;
    -*) die "unexpected \`$1\`" "$usage" ;;
    *) words+=("$1") ;;
    esac
    shift
done
[ ${#words[@]} -le 2 ] || die "unexpected \`${words[2]}\`" "$usage"
target=${words[0]:-json}
seconds=${words[1]:-60}
case $seconds in
'' | 0 | *[!0-9]*) die "SECONDS is a whole number from 1 on, not \`$seconds\`" "scripts/fuzz.sh json 60" ;;
esac
cd "$root"
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

cargo build --release --locked --quiet --package pleach-cli || exit 2
pleach=${CARGO_TARGET_DIR:-target}/release/pleach

# A new corpus begins with the texts that the repository has for the grammar that the target names.
grammar=$(sed -n 's|.*"\.\./\(grammars/[^"]*\.ebnf\)".*|\1|p' "fuzz/fuzz_targets/$target.rs" | head -n 1)
corpus=fuzz/corpus/$target
seeds=corpus/$(basename "$grammar" .ebnf)
if [ -z "$(ls "$corpus" 2>/dev/null)" ] && [ -n "$grammar" ] && [ -d "$seeds" ]; then
    options+=(--seeds "$seeds")
fi
code=0
"$pleach" fuzz "$target" "$seconds" -k "$report_k" ${options[@]+"${options[@]}"} "$@" || code=$?
if grep 'codec: text' "fuzz/fuzz_targets/$target.rs" >/dev/null; then
    say "the corpus is in $root/$corpus, as texts"
elif grep 'semantics: ' "fuzz/fuzz_targets/$target.rs" >/dev/null; then
    say "the corpus is in $root/$corpus, as choice sequences; the target itself writes them as texts:"
    say "    PLEACH_RENDER=DIR cargo fuzz run -s none $target $corpus"
else
    say "the corpus is in $root/$corpus, as choice sequences; read them by"
    say "    $pleach decode $grammar $corpus"
fi
exit "$code"
