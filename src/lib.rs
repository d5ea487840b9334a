//! strowger: an Asterisk-compatible dialplan engine.

pub mod apps;
pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod diagnostic;
pub mod funcs;
pub mod host;
pub mod library;
pub mod machine;
pub mod measure;
#[cfg(feature = "pcrf")]
pub mod pcrf;
pub mod program;
pub mod rules;
pub mod store;
pub mod syntax;

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

use library::Registry;

/// All applications and functions of this crate.
pub fn standard_registry() -> Registry {
    let mut registry = Registry::new();
    #[cfg(feature = "pcrf")]
    let policies = (pcrf::APPLICATIONS, pcrf::FUNCTIONS);
    #[cfg(not(feature = "pcrf"))]
    let policies: (&[&library::Application], &[&library::Function]) = (&[], &[]);
    let applications = [apps::ALL, rules::APPLICATIONS, policies.0].concat();
    let functions = [funcs::ALL, rules::FUNCTIONS, policies.1].concat();
    for application in applications {
        let mut application = application.clone();
        if application.examples.is_empty() {
            application.examples = apps::examples_of(&application.name);
        }
        registry.add_application(application);
    }
    for function in functions {
        registry.add_function(function.clone());
    }
    registry
}
