//! Where a server keeps what must not be lost.
