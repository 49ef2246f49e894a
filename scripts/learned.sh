#!/usr/bin/env bash
# Learns models from samples that others have made, generates inputs that are like them and unlike them, and prints a Markdown table of the
# functions that a program runs for each: how many the samples reach, what share of those the generated inputs reach, and how many others.
#
#     scripts/learned.sh [-n 10000] [--context 2] [SET]...
#
# A set is one of json, commonmark, toml and whatwg_url, as in scripts/samples.sh, which fetches it. As many inputs are generated in
# each mode; those that are duplicates count once. The programs are the subjects of fuzz/arena, built with LLVM's source-based coverage below
# fuzz/target/arena/functions. A function is a place in the source of the crates that a subject uses, with all its instances; closures are
# functions. Seeds are fixed, so the table repeats as long as the grammars and the versions of the crates stay the same.
#
# Needs what scripts/samples.sh needs, and the component llvm-tools of rustup.
#
# Exit code: 0 if it is done, 1 if something cannot be had or built, 2 if the arguments are wrong.
set -euo pipefail

# A set, its grammar, and the subject that reads it.
readonly known='
json        json        json
commonmark  markdown    pulldown-cmark
toml        toml        toml_edit
whatwg_url  whatwg_url  url
'

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/fetch.sh
. "$root/scripts/fetch.sh"

usage() {
    printf 'error: %s\nhelp: scripts/learned.sh [-n COUNT] [--context K] [json|commonmark|toml|whatwg_url]...\n' "$1" >&2
    exit 2
}

n=10000 context=2 sets=()
while [ $# -gt 0 ]; do
    case $1 in
    -n | --context)
        [[ ${2:-} =~ ^[0-9]+$ ]] || usage "$1 needs a number"
        if [ "$1" = -n ]; then n=$2; else context=$2; fi
        shift
        ;;
    -*) usage "there is no option $1" ;;
    *)
        awk 'NF { print $1 }' <<<"$known" | grep -xF -- "$1" >/dev/null || usage "there are no samples \`$1\`"
        sets+=("$1")
        ;;
    esac
    shift
done
if [ ${#sets[@]} -eq 0 ]; then
    mapfile -t sets < <(awk 'NF { print $1 }' <<<"$known")
fi

host=$(rustc -vV | sed -n 's/^host: //p')
tools=$(rustc --print sysroot)/lib/rustlib/$host/bin
[ -x "$tools/llvm-cov" ] || die "there is no $tools/llvm-cov" "rustup component add llvm-tools"

"$root/scripts/samples.sh" "${sets[@]}" >/dev/null
pleach=$(realpath -- "${CARGO_TARGET_DIR:-$root/target}")/release/pleach
work=$root/fuzz/target/arena/functions
mkdir -p "$work/programs"
# The program has no engine, so an empty archive will do.
printf '!<arch>\n' >"$work/libfuzzer.a"

# build SUBJECT: the program that runs a list of texts, with LLVM's counters of functions beside those of edges, which it needs.
build() {
    local flags=(
        -Cinstrument-coverage
        -Cpasses=sancov-module
        -Cllvm-args=-sanitizer-coverage-level=1
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
        --cfg=fuzzing
        -Cdebug-assertions
        -Ccodegen-units=1
    )
    CARGO_ENCODED_RUSTFLAGS=$(printf '%s\n' "${flags[@]}" | paste -sd $'\x1f') CUSTOM_LIBFUZZER_PATH=$work/libfuzzer.a \
        cargo build --quiet --release --locked --config profile.release.debug=false --bin replay --target "$host" \
        --manifest-path "$root/fuzz/arena/subjects/$1/Cargo.toml" --target-dir "$work/build" ||
        die "the subject $1 does not build" "see the messages above"
    cp "$work/build/$host/release/replay" "$work/programs/$1"
}

# run SUBJECT DIRECTORY: what the subject covers of the files, as a profile beside the directory.
run() {
    find "$2" -type f | LC_ALL=C sort >"$2.list"
    LLVM_PROFILE_FILE=$2.profraw "$work/programs/$1" <"$2.list" >"$2.verdicts" 2>/dev/null ||
        die "a text of $2 ends the program" "run $work/programs/$1 on the files behind the last line of $2.verdicts"
    "$tools/llvm-profdata" merge -sparse "$2.profraw" -o "$2.profdata"
}

# The row of a table.
row() {
    node -e '
        const { execFileSync } = require("node:child_process");
        const { readFileSync } = require("node:fs");
        const [root, cov, program, dir, name, modes] = process.argv.slice(1);
        const read = path => readFileSync(path, "utf8").trim().split("\n").slice(1);
        const covered = mode => {
            const args = ["export", "-skip-expansions", `-instr-profile=${dir}/${mode}.profdata`, program];
            const [{ functions }] = JSON.parse(execFileSync(cov, args, { maxBuffer: 1 << 30 })).data;
            const own = functions.filter(it => it.count > 0 && !it.filenames[0].startsWith(root + "/"));
            return new Set(own.map(it => [it.filenames[0], ...it.regions[0].slice(0, 2)].join(":")));
        };
        const samples = covered("samples");
        const cells = [name, read(`${dir}/samples.verdicts`).length, samples.size];
        for (const mode of modes.split(" ")) {
            const reached = [...covered(mode)];
            const shared = reached.filter(it => samples.has(it)).length;
            cells.push(Math.floor(shared * 1000 / samples.size) / 10 + " %", reached.length - shared);
        }
        console.log("| " + cells.join(" | ") + " |");' "$@"
}

printf '| program | samples | functions | common | others | uncommon | others | uniform | others |\n|---|---|---|---|---|---|---|---|---|\n'
while read -r set grammar subject; do
    [ -n "$set" ] && printf '%s\n' "${sets[@]}" | grep -xF -- "$set" >/dev/null || continue
    build "$subject"
    file=$root/grammars/$grammar/$grammar.ebnf
    dir=$work/$set
    rm -rf "$dir"
    mkdir "$dir"
    cp -r "$root/target/samples/$set" "$dir/samples"
    # Exit code 1: some of the texts are no sentences.
    "$pleach" learn "$file" "$dir/samples" --text --context "$context" -o "$dir/model" >/dev/null 2>&1 || [ $? -eq 1 ] ||
        die "no model can be learned from $dir/samples" "see what pleach learn says of them"
    for mode in common uncommon; do
        "$pleach" generate "$file" "$dir/$mode" -n "$n" --text --model "$dir/model" --mode "$mode" >/dev/null 2>&1
    done
    "$pleach" generate "$file" "$dir/uniform" -n "$n" --text >/dev/null 2>&1
    for mode in samples common uncommon uniform; do
        run "$subject" "$dir/$mode"
    done
    row "$root" "$tools/llvm-cov" "$work/programs/$subject" "$dir" "$(sed -n 's/^name = "\(.*\)"/\1/p' "$root/fuzz/arena/subjects/$subject/subject.toml")" "common uncommon uniform"
done <<<"$known"
