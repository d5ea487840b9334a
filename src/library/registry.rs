//! Names of applications and functions to their descriptors.

use std::sync::Arc;

use crate::base::symbol::{StableMap, stable_map};
use crate::library::{Application, Function};

/// The applications and functions that a dialplan is linked against.
#[derive(Debug, Clone)]
pub struct Registry {
    applications: StableMap<Vec<u8>, Arc<Application>>,
    functions: StableMap<Vec<u8>, Arc<Function>>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// A registry that knows nothing.
    pub fn new() -> Self {
        Self {
            applications: stable_map(),
            functions: stable_map(),
        }
    }

    /// Adds an application; one of the same name is replaced.
    pub fn add_application(&mut self, application: Application) {
        let key = application.name.to_ascii_lowercase().into_bytes();
        self.applications.insert(key, Arc::new(application));
    }

    /// Adds a function; one of the same name is replaced.
    pub fn add_function(&mut self, function: Function) {
        let key = function.name.as_bytes().to_vec();
        self.functions.insert(key, Arc::new(function));
    }

    /// An application by name, without regard to case.
    pub fn application(&self, name: &[u8]) -> Option<&Arc<Application>> {
        if name.iter().any(u8::is_ascii_uppercase) {
            self.applications.get(&name.to_ascii_lowercase())
        } else {
            self.applications.get(name)
        }
    }

    /// A function by name.
    pub fn function(&self, name: &[u8]) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// All applications, sorted by name.
    pub fn applications(&self) -> Vec<&Arc<Application>> {
        let mut all: Vec<_> = self.applications.values().collect();
        all.sort_by_key(|a| a.name.to_ascii_lowercase());
        all
    }

    /// All functions, sorted by name.
    pub fn functions(&self) -> Vec<&Arc<Function>> {
        let mut all: Vec<_> = self.functions.values().collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }
}
