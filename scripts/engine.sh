#!/usr/bin/env bash
# Drives the modes of libFuzzer on targets of fuzz/, and checks what comes out of each: -runs, -seed, -max_len, -merge, -fork,
# -jobs, -minimize_crash; and a stack that overflows.
#
#     scripts/engine.sh JSON FRAGILE
#
# JSON and FRAGILE are the built targets `json` and `fragile`, as `pleach fuzz` and `cargo fuzz build` leave them below the
# target directory. The program is the one that PLEACH names, that of target/release, or `pleach`. Exit code: 0 if all is well, 1 at the first
# thing that is not.
set -euo pipefail

[ $# -eq 2 ] || {
    echo 'usage: scripts/engine.sh JSON FRAGILE' >&2
    exit 2
}
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
json=$(realpath -- "$1")
fragile=$(realpath -- "$2")
grammar=$root/grammars/json/json.ebnf
pleach=${PLEACH:-${CARGO_TARGET_DIR:-$root/target}/release/pleach}
case $pleach in /*) ;; *) pleach=$root/$pleach ;; esac
[ -x "$pleach" ] || pleach=pleach

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    printf 'engine: %s\n' "$*" >&2
    tail -n 20 "$scratch/log" >&2 || true
    exit 1
}

# Runs a target and keeps what it says.
engine() {
    "$@" >"$scratch/log" 2>&1
}

count() {
    find "$1" -type f | wc -l
}

# The k-paths, for k = 2, that a corpus covers.
pairs() {
    "$pleach" coverage "$grammar" "$1" -k 2 --choices | sed -n 's/^2-paths *\([0-9]*\) .*/\1/p'
}

echo 'engine: -runs and -seed'
mkdir one two
# The engine itself depends on addresses, which are at other places in every process: it orders compared values by them, and takes
# note of the depth of the stack. Its look at the corpus directory comes by the clock, as do the shares of costly operators.
fixed=(setarch "$(uname -m)" -R)
"${fixed[@]}" true 2>/dev/null || fixed=()
for corpus in one two; do
    PLEACH_CLOCK=0 engine ${fixed[@]+"${fixed[@]}"} "$json" -seed=7 -runs=20000 -use_cmp=0 -reload=0 -print_final_stats=1 "$corpus" || fail "-runs does not end well"
    grep -q '^stat::number_of_executed_units: *2000[0-9]$' log || fail "-runs=20000 makes another number of runs"
done
[ ${#fixed[@]} -eq 0 ] || diff -r one two >/dev/null || fail "the same seed gives another corpus"
[ "$(pairs one)" -ge 100 ] || fail "20000 runs cover $(pairs one) 2-paths of 108"

echo 'engine: -max_len'
mkdir short
engine "$json" -seed=1 -runs=5000 -max_len=12 short || fail "-max_len does not end well"
[ "$(count short)" -gt 20 ] || fail "with -max_len=12 only $(count short) inputs are kept"
[ -z "$(find short -type f -size +12c)" ] || fail "an input is longer than -max_len"

echo 'engine: -merge'
mkdir merged
engine "$json" -merge=1 merged one || fail "-merge does not end well"
[ "$(count merged)" -gt 20 ] && [ "$(count merged)" -le "$(count one)" ] ||
    fail "$(count one) inputs are merged to $(count merged)"
[ "$(pairs merged)" -eq "$(pairs one)" ] || fail "merging loses k-paths: $(pairs merged) of $(pairs one)"

echo 'engine: the note beside a corpus is no input'
mkdir -p noted/.pleach again
cp one/* noted/
echo 'no input' >noted/.pleach/made-by
inputs=$(count one)
engine "$json" -runs=0 noted || fail "a noted corpus does not run"
grep -q "INFO: *$inputs files found in noted$" log || fail "the engine does not find $inputs files beside a note"
engine "$json" -merge=1 again noted || fail "-merge of a noted corpus does not end well"
grep -rqx 'no input' again && fail "-merge takes the note for an input"
engine "$json" -fork=1 -runs=1000 noted || fail "-fork of a noted corpus does not end well"
[ "$(cat noted/.pleach/made-by)" = 'no input' ] || fail "-fork changes the note"

echo 'engine: what a target says of itself'
PLEACH_DESCRIBE=answer engine "$json" -help=1 || fail "the target does not say what it is"
grep -qx 'codec choices' answer || fail "the target does not say its codec: $(head -n 20 answer)"
grep -qx 'path ../grammars/json/json.ebnf' answer || fail "the target does not say where its grammar was: $(head -n 20 answer)"
sed '1,/^$/d' answer >said.ebnf
for file in "$grammar" said.ebnf; do "$pleach" compile "$file" -o compiled --force; done | grep -o 'fingerprint .*' >prints
[ "$(sort -u prints | wc -l)" -eq 1 ] || fail "the target says another grammar than it has"

echo 'engine: -fork'
cp -R merged forked
engine "$json" -fork=2 -max_total_time=8 forked || fail "-fork does not end well"
[ "$(count forked)" -ge "$(count merged)" ] || fail "-fork loses inputs"
[ "$(pairs forked)" -ge "$(pairs merged)" ] || fail "-fork loses k-paths"

echo 'engine: -jobs'
mkdir jobs
engine "$json" -jobs=2 -workers=2 -runs=3000 jobs || fail "-jobs does not end well"
[ "$(grep -l '^Done [0-9]* runs' fuzz-0.log fuzz-1.log | wc -l)" -eq 2 ] || fail "not both jobs have made their runs"
[ "$(count jobs)" -gt 50 ] || fail "two jobs keep only $(count jobs) inputs"

echo 'engine: -minimize_crash'
mkdir crashes
engine "$fragile" -seed=3 -runs=200000 -artifact_prefix=crashes/ && fail "the fragile target does not fail"
crash=$(find crashes -type f -name 'crash-*' | head -n 1)
[ -n "$crash" ] || fail "there is no artifact"
# One that has something to be taken away.
"$pleach" decode "$grammar" "$crash" --choices >text
printf '[1, [true, {"a": [[null, "text", %s]]}]]' "$(cat text)" >long
mkdir long_input choices
mv long long_input/
"$pleach" encode "$grammar" long_input -o choices >/dev/null
engine "$fragile" -minimize_crash=1 -runs=20000 -exact_artifact_path=small choices/long || true
[ -s small ] || fail "-minimize_crash leaves nothing"
"$pleach" decode "$grammar" small --choices >text
[ "$(wc -c <text)" -le 8 ] || fail "-minimize_crash ends at $(cat text)"
engine "$fragile" small && fail "the minimized input does not fail"

echo 'engine: a full stack'
mkdir full
FULL_STACK=1 engine "$fragile" -seed=3 -runs=200000 -artifact_prefix=full/ && fail "the fragile target does not fail"
[ "$(count full)" -eq 1 ] || fail "a full stack leaves $(count full) files"
FULL_STACK=1 engine "$fragile" full/crash-* && fail "the input that filled the stack does not do so again"

echo 'engine: all modes do what they say'
