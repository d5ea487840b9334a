//! Nothing: the package has benches only.
