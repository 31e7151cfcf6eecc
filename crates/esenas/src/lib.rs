//! ES-ENAS.
