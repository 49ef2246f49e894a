#!/usr/bin/env bash
# Everything that continuous integration runs, in this order; stops at the first command that fails, and names it.
#
# Needs stable Rust with rustfmt and clippy, and a C++ compiler. What else is missing is installed: cargo-fuzz. Standard input
# is not read. The last line of the output is `tests: N passed, 0 failed`.
set -euo pipefail

readonly cargo_fuzz_version=0.13.2
readonly campaign_seconds=20 text_seconds=5

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
exec </dev/null

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0

# Runs a command; if it fails, ends with what it was.
run() {
    printf '\n==> %s\n' "$*"
    "$@" || {
        local code=$?
        printf '\nfailed (exit code %s): %s\n' "$code" "$*" >&2
        printf 'tests: %s passed, 1 failed\n' "$passed"
        exit 1
    }
}

# Runs a command whose success counts as one test.
check() {
    run "$@"
    passed=$((passed + 1))
}

# Runs `cargo test` and adds up what it reports.
tests() {
    run tee_output cargo test --locked "$@"
    local more
    more=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$scratch/output" | paste -sd+ -)
    passed=$((passed + ${more:-0}))
}

tee_output() {
    "$@" 2>&1 | tee "$scratch/output"
}

# Fails unless the first number is greater than the second.
is_more() {
    [ "$1" -gt "$2" ]
}

# Fails if a file has a line with this text.
absent() {
    ! grep -q -- "$1" "$2"
}

# The inputs in a directory; what is hidden is none.
count_files() {
    find "$1" -name '.*' -prune -o -type f -print | wc -l
}

fuzz=(--manifest-path fuzz/Cargo.toml)
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

check cargo fmt --all --check
check cargo fmt "${fuzz[@]}" --check
check bash -n scripts/fuzz.sh
check bash -n scripts/suites.sh
check bash -n scripts/engine.sh
check bash -n scripts/evaluate.sh
check bash -n scripts/libafl.sh
check bash -n scripts/fetch.sh
check bash -n scripts/samples.sh
check bash -n scripts/acceptance.sh
check bash -n scripts/learned.sh
for manifest in fuzz/libafl/Cargo.toml fuzz/arena/Cargo.toml fuzz/arena/subjects/*/Cargo.toml fuzz/arena/bugs/*/Cargo.toml; do
    check cargo fmt --manifest-path "$manifest" --check
done

lint=(clippy --locked --all-targets)
check cargo "${lint[@]}" --all-features -- -D warnings
tests --all-features
check env RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --all-features

if ! cargo fuzz --version >/dev/null 2>&1; then
    run cargo install cargo-fuzz --version "$cargo_fuzz_version" --locked
fi

# The engine takes minutes of C++, so it is compiled once, by this command, and named to every build below.
echo
echo '==> build the engine'
archive=$(
    cargo check "${fuzz[@]}" --locked --release --package libfuzzer-sys --target-dir fuzz/target/pleach \
        --message-format=json-render-diagnostics |
        sed -n 's/.*"reason":"build-script-executed".*libfuzzer-sys.*"out_dir":"\([^"]*\)".*/\1/p' | tail -n 1
)/libfuzzer.a || true
check test -f "$archive"
export CUSTOM_LIBFUZZER_PATH=$archive

check cargo clippy "${fuzz[@]}" --locked --all-targets -- -D warnings
tests "${fuzz[@]}"
# The arena: its tool, and a smoke run of two arms of one subject from the build to the report.
arena=(--manifest-path fuzz/arena/Cargo.toml --target-dir fuzz/target/arena/tool)
check cargo clippy "${arena[@]}" --locked --all-targets -- -D warnings
tests "${arena[@]}"
check scripts/evaluate.sh run --subjects json --arms raw,pleach --seconds 2 --seeds 1 --results "$scratch/results"
check scripts/evaluate.sh report --results "$scratch/results" -o "$scratch/report"
check grep -q '^| pleach | 1 |' "$scratch/report/report.md"
# Sentences in the program that was just built.
run tee_output scripts/acceptance.sh --subjects json -n 200
check grep -q '^| `json` | serde_json [0-9.]* | 200 | [0-9.]* % |' "$scratch/output"
# As a user of cargo-fuzz builds them, without pleach's own command.
check cargo fuzz build --sanitizer none

# A short campaign from a covering set, which has to find inputs that are worth keeping.
run cargo build --locked --release --bin pleach
pleach=${CARGO_TARGET_DIR:-target}/release/pleach
check "$pleach" seed grammars/json/json.ebnf "$scratch/corpus" -k 1
before=$(count_files "$scratch/corpus")
run tee_output "$pleach" fuzz json "${campaign_seconds}s" --corpus "$scratch/corpus" -- -verbosity=0
# The target says what its grammar is, and that pleach is left out of the instrumentation.
check grep -q '^2-paths ' "$scratch/output"
check grep -q '^choices ' "$scratch/corpus/.pleach/made-by"
check absent 'pleach itself is instrumented' "$scratch/output"
# What only pleach uses is known, and left out of the instrumentation.
check grep -qx regex_automata fuzz/target/pleach/plain-crates
after=$(count_files "$scratch/corpus")
echo "the corpus has grown from $before to $after inputs"
check is_more "$after" "$before"

# The engine's modes, on that target and on one that fails.
mkdir "$scratch/fragile"
run "$pleach" fuzz fragile 1 --corpus "$scratch/fragile" -- -runs=1 -verbosity=0
programs=$(dirname -- "$(find fuzz/target/pleach -path '*/release/fragile' -type f | head -n 1)")
check scripts/engine.sh "$programs/json" "$programs/fragile"

# The same with texts: from samples, one of them no sentence, to a corpus that can be read.
mkdir "$scratch/texts" "$scratch/text_corpus"
printf '[1, {"a": null' >"$scratch/texts/cut"
printf '[1, {"a": null}]' >"$scratch/texts/whole"
check "$pleach" fuzz json_text "${text_seconds}s" --corpus "$scratch/text_corpus" \
    --seeds "$scratch/texts" -- -verbosity=0
check is_more "$(count_files "$scratch/text_corpus")" 2

printf '\ntests: %s passed, 0 failed\n' "$passed"
