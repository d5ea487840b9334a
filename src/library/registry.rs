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

    /// The application whose name looks most like this one, if any looks like it at all.
    pub fn nearest_application(&self, name: &[u8]) -> Option<&str> {
        let names = self.applications.values().map(|a| a.name.as_ref());
        nearest(name, names)
    }

    /// The function whose name looks most like this one, if any looks like it at all.
    pub fn nearest_function(&self, name: &[u8]) -> Option<&str> {
        let names = self.functions.values().map(|f| f.name.as_ref());
        nearest(name, names)
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

/// Longer names are nobody's misspelling.
const LONGEST: usize = 64;

/// The name with the fewest letters changed, missing, added or swapped; a third of them may be, and case does not
/// count. Of equally near names the first in the alphabet.
fn nearest<'a>(name: &[u8], names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim_ascii().to_ascii_lowercase();
    if name.len() > LONGEST {
        return None;
    }
    let most = (name.len() / 3).clamp(1, 3);
    names
        .filter_map(|known| {
            let letters = known.to_ascii_lowercase().into_bytes();
            // A name of one or two letters is near to everything.
            if letters.len().abs_diff(name.len()) > most || letters.len().min(name.len()) < 2 {
                return None;
            }
            let distance = strsim::generic_damerau_levenshtein(&name, &letters);
            (distance <= most).then_some((distance, known))
        })
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_names() {
        let names = ["CUT", "LEN", "CALLERID", "CALLINGPRES", "IF"];
        let near = |name: &str| nearest(name.as_bytes(), names.into_iter());
        assert_eq!(near("CALERID"), Some("CALLERID"));
        assert_eq!(near("callerid"), Some("CALLERID"));
        assert_eq!(near("CTU"), Some("CUT"));
        assert_eq!(near("FROBNICATE"), None);
        assert_eq!(near(""), None);
        assert_eq!(near("X"), None);
    }
}
