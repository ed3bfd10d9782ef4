//! Integration tests of the gateway: its router, driven from outside.
