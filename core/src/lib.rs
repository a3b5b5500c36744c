//! hopscope-core: from the bytes of a capture to operations with server and client time apart.
