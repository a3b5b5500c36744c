//! Writes what the reference expects of new captures in `fixtures/mcpsnoop/regressions`: those
//! without an expected file. Read what it wrote before it is committed.
//!
//! `cargo run -p hopscope-tests --example expect`

use hopscope_tests::captures::fixtures;
use hopscope_tests::reference;

fn main() -> std::io::Result<()> {
    for fixture in fixtures("mcpsnoop/regressions") {
        let expected = fixture.beside("expected.json");
        if !expected.exists() {
            let sessions = reference::sessions(&String::from_utf8_lossy(&fixture.bytes()));
            std::fs::write(expected, format!("{sessions:#}\n"))?;
        }
    }
    Ok(())
}
