//! Runs core's benchmark, which measures reading and linking on captures that it makes itself.

use anyhow::Result;
use xtask::workspace::{cargo, run};

/// Passes `args` through.
pub fn bench(args: &[String]) -> Result<()> {
    run(cargo()
        .args(["run", "--release", "-p", "hopscope-core", "--example", "bench", "--"])
        .args(args))
}
