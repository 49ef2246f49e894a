#!/usr/bin/env bash
# Where the time of a mutation goes: the stages of pleach, of the engine and of the target, in samples of CPU time.
#
#     scripts/profile.sh mutation [json/700]…               # structural mutations alone, the arms `pleach` of fuzz/peers
#     scripts/profile.sh campaign PROGRAM [SECONDS [FLAG…]]   # a fuzz target that `pleach fuzz` or the arena has built
#     scripts/profile.sh count [GRAMMAR [SIZE]]               # instructions a mutation, in a campaign without a target, or of sentences
#
# A sample counts for the first function from the innermost one up that belongs to a stage; what belongs to none is `other`. What was
# inlined counts for the function that it is in, so small stages show as `choose`. Needs Linux and perf; builds with frame pointers, so times are a few percent longer than
# otherwise. The campaign begins with an empty corpus in a directory of its own; a program that was built without frame pointers
# has stages of the innermost function alone.
#
# Instructions are counted by valgrind, which other load does not disturb: those of 24 000 mutations less those of 4000.
#
# Exit code: 0 if it is done, 2 if something is wrong.
set -euo pipefail
# Names of functions and lines, which a release build does without.
export CARGO_PROFILE_RELEASE_DEBUG=line-tables-only

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 2
}

need() {
    command -v "$1" >/dev/null || die "$1 is not installed" "install it, on Debian by apt-get install $2"
}
[ "${1:-}" = count ] || need perf linux-perf
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Stages and what their functions are called, the more special before the more general.
cat >"$scratch/stages" <<'STAGES'
mark	Workspace::(mark|features|shun|crashes)
render	Session.*::render
encode	Session.*::encode|Codec::canonical_len
hash	mutate::.*::hash$
derive	Workspace::fragment
edit	Edits::|put_fragment|Workspace::commit
read	Session.*::(fetch|rebase|derive|enter)|Parent::read
look up	Session.*::(load|is_known|remember)|Yields|Outcomes
parse	Readers::read|parse::
engine's bytes	change_whole_text|mutate_bytes|engine_text
choose	Session|mutate::
glue	libfuzzer::(Fuzzer|text|clock|schedule|cache)|^pleach
engine	fuzzer::
target	rust_fuzzer_test_input|subject|run
STAGES

# Prints a table of the samples whose stack has a frame that matches.
table() {
    perf script -i "$scratch/data" -F ip,sym 2>/dev/null | awk -F '\t' -v within="$1" '
        function finish(  at, stage, place, inside) {
            if (!depth) return
            place = "other"
            for (at = 1; at <= depth; at++) if (frames[at] ~ within) inside = 1
            for (at = 1; at <= depth && place == "other"; at++)
                for (stage = 1; stage <= stages; stage++)
                    if (frames[at] ~ pattern[stage]) { place = name[stage]; break }
            if (inside) { count[place]++; all++ }
            depth = 0
        }
        FILENAME != "-" { stages++; name[stages] = $1; pattern[stages] = $2; next }
        /^[ \t]+[0-9a-f]+ / { sub(/^[ \t]+[0-9a-f]+ /, ""); frames[++depth] = $0; next }
        { finish() }
        END {
            finish()
            for (stage = 1; stage <= stages; stage++)
                if (count[name[stage]]) printf "| %s | %.1f %% |\n", name[stage], 100 * count[name[stage]] / all
            if (count["other"]) printf "| other | %.1f %% |\n", 100 * count["other"] / all
            printf "| samples | %d |\n", all
        }' "$scratch/stages" -
}

record() {
    perf record --quiet -o "$scratch/data" -e cpu-clock -F 5000 -g -- "$@" >"$scratch/log" 2>&1
}

case ${1:-} in
mutation)
    shift
    [ $# -gt 0 ] || set -- json/10 json/700 json/2000 expr/10 expr/700 expr/2000
    target=$root/fuzz/target/profile
    RUSTFLAGS='-C force-frame-pointers=yes' cargo build --release --quiet --bin cpu \
        --manifest-path "$root/fuzz/peers/Cargo.toml" --target-dir "$target" || exit 2
    for workload; do
        printf '\n%s\n\n| stage | share |\n|---|--:|\n' "$workload"
        record "$target/release/cpu" --rounds 1000 --filter "mutate/$workload/pleach" || die 'the benchmark fails' "see $(cat "$scratch/log")"
        table 'pleach_core::mutate'
    done
    ;;
campaign)
    [ $# -ge 2 ] || die 'no program is named' 'name a fuzz target that was built'
    program=$(realpath -- "$2")
    seconds=${3:-10}
    shift $(($# < 3 ? $# : 3))
    mkdir "$scratch/corpus"
    # The flags of `pleach fuzz`.
    record "$program" -entropic=0 -use_counters=0 -mutate_depth=2 -max_total_time="$seconds" "$@" "$scratch/corpus" || true
    grep -E '^stat::number_of_executed_units|DONE|Done' "$scratch/log" || true
    printf '\n| stage | share |\n|---|--:|\n'
    table '.'
    ;;
count)
    shift
    need valgrind valgrind
    cargo build --release --quiet --manifest-path "$root/Cargo.toml" --package pleach-core --example mutations || exit 2
    program=${CARGO_TARGET_DIR:-$root/target}/release/examples/mutations
    instructions() {
        local grammar=$1 runs=$2
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$grammar" "$runs" "${@:3}" 2>&1 | awk '/Collected/ { print $4 }'
    }
    grammar=${1:-$root/grammars/json/json.ebnf}
    few=$(instructions "$grammar" 4000 "${@:2}")
    many=$(instructions "$grammar" 24000 "${@:2}")
    [ -n "$many" ] || die 'nothing was counted' 'name a grammar and a number of bytes'
    echo "$(((many - few) / 20000)) instructions a mutation"
    ;;
*)
    die 'usage: scripts/profile.sh mutation [json/700]… | campaign PROGRAM [SECONDS [FLAG…]] | count [GRAMMAR [SIZE]]' 'name what to measure'
    ;;
esac
