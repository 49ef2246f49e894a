#!/usr/bin/env bash
# Builds the guide as a book in target/book, with mdBook, which is installed below target/ if it is missing there.
set -euo pipefail

readonly mdbook_version=0.5.4

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
tools=$PWD/target/tools
if [ "$("$tools/bin/mdbook" --version 2>/dev/null)" != "mdbook v$mdbook_version" ]; then
    # Not optimized, which saves time: it has a few pages to render.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 cargo install mdbook --version "$mdbook_version" --locked --no-default-features --features search \
        --root "$tools"
fi
"$tools/bin/mdbook" build src/guide
# The sources of the other rendering.
rm -f target/book/mod.rs target/book/book.toml
echo "the book is target/book/index.html"
