# shellcheck shell=bash
# For other scripts: packages of the npm registry and crates, with pinned versions and checksums.
#
#     . scripts/fetch.sh
#
# What is there already and right is not fetched again. A checksum that differs ends the script, with exit code 1.

die() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 1
}

# Whether a file has a checksum.
has_sum() {
    [ -f "$1" ] && printf '%s  %s\n' "$2" "$1" | sha256sum --check --status
}

# npm_package NAME VERSION SUM DIRECTORY: an archive of the npm registry, beside the directory that it is unpacked to.
npm_package() {
    local archive=$1-$2.tgz
    if ! has_sum "$archive" "$3"; then
        printf 'fetching %s %s\n' "$1" "$2" >&2
        npm pack --silent "$1@$2" >/dev/null || die "npm cannot fetch $1 $2" "is the npm registry reachable?"
        has_sum "$archive" "$3" || die "$archive has another checksum than the pinned one" "remove it, and find out who changed it"
    fi
    rm -rf "$4"
    mkdir -p "$4"
    tar -xzf "$archive" -C "$4" --strip-components 1
}

# crate NAME VERSION SUM DIRECTORY: a crate's files. The checksum is the registry's, of the archive; Cargo checks that it is that of
# what it unpacks.
crate() {
    if grep -qs "\"package\":\"$3\"" "$4/.cargo-checksum.json"; then
        return
    fi
    printf 'fetching the crate %s %s\n' "$1" "$2" >&2
    local scratch
    scratch=$(mktemp -d)
    mkdir "$scratch/src"
    : >"$scratch/src/lib.rs"
    printf '[package]\nname = "fetched"\nversion = "0.0.0"\n\n[workspace]\n\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' \
        "$1" "$2" >"$scratch/Cargo.toml"
    (cd "$scratch" && cargo vendor --quiet vendor >/dev/null) ||
        die "cargo cannot fetch the crate $1 $2" "is the registry of crates reachable?"
    grep -qs "\"package\":\"$3\"" "$scratch/vendor/$1/.cargo-checksum.json" ||
        die "the crate $1 $2 has another checksum than the pinned one" "find out who changed it"
    rm -rf "$4"
    mkdir -p "$(dirname -- "$4")"
    mv "$scratch/vendor/$1" "$4"
    rm -rf "$scratch"
}
