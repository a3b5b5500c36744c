//! hopscope-web.
