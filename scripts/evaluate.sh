#!/usr/bin/env bash
# Measures pleach against what else one could fuzz with: the front of the arena, fuzz/arena.
#
#     scripts/evaluate.sh run [--subjects a,b] [--arms x,y] [--variant NAME=BASE,…] [--seconds 60] [--seeds 5] [--jobs 2]
#     scripts/evaluate.sh report [-o DIR] [--against ARM]
#     scripts/evaluate.sh bugs-test
#     scripts/evaluate.sh acceptance [--subjects a,b] [-n 1000] [--refused DIR]
#     scripts/evaluate.sh judge --subject NAME < FILES
#     scripts/evaluate.sh associate [--targets a,b] [-n 1000] [-o FILE] [-- OPTIONS]
#     scripts/evaluate.sh list
#
# Each verb has --help, and fuzz/arena/README.md says what is measured and how. Needs stable Rust, a C++ compiler and Linux; the
# engine's archive is built once, unless CUSTOM_LIBFUZZER_PATH names one. Results are in fuzz/target/arena/results; called again, `run` goes
# on from there.
#
# Exit code: 0 if it is done, 2 if something is wrong, 130 after Ctrl-C.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 2
}

[ "$(uname -s)" = Linux ] || die "the arena reads CPU time from /proc" "run it on Linux"
command -v cargo >/dev/null || die "cargo is not installed" "install Rust by rustup, https://rustup.rs"
command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
    die "there is no C++ compiler, which the engine needs" "install g++"

# Paths on the command line are the user's, so the directory is not changed.
tool=$root/fuzz/target/arena/tool
programs=${CARGO_TARGET_DIR:-$root/target}
cargo build --release --locked --quiet --manifest-path "$root/fuzz/arena/Cargo.toml" --target-dir "$tool" || exit 2
export PLEACH_ARENA_ROOT=$root
case ${1:-} in
run | bugs-test | acceptance | judge | associate | evolve)
    case " $* " in
    *' --help '* | *' -h '*) ;;
    *) cargo build --release --locked --quiet --manifest-path "$root/Cargo.toml" --package pleach-cli --target-dir "$programs" || exit 2 ;;
    esac
    export PLEACH_ARENA_PROGRAM=$programs/release/pleach
    ;;
esac
# The default directory of results is relative to the repository's root.
case " $* " in
*' --results'*) ;;
*)
    case ${1:-} in
    run | report) set -- "$@" --results "$root/fuzz/target/arena/results" ;;
    esac
    ;;
esac
exec "$tool/release/pleach-arena" "$@"
