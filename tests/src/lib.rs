//! Helpers that the test targets share.
