//! The live page in a real browser: Chromium without a window, led by ChromeDriver.
//!
//! `scripts/test.sh` runs these; by hand, where both are installed:
//! `cargo test -p esenas-cli --test browser -- --ignored --test-threads 1`. `ESENAS_CHROMEDRIVER`
//! and `ESENAS_CHROMIUM` name them where they are called otherwise. Nothing is measured: what takes
//! a while is waited for.

mod driver;
mod figures;
#[allow(dead_code)]
#[path = "../cli/harness.rs"]
mod harness;
mod pages;
mod safety;
mod served;
