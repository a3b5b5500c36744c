//! The `hopscope` command line.
fn main() {}
