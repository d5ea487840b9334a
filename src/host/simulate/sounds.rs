//! Which sounds exist, and how long they play.

use std::path::Path;
use std::time::Duration;

use crate::base::Text;
use crate::machine::Sound;

use super::Sounds;

/// Nominal time of a sound.
const NOMINAL: Duration = Duration::from_secs(1);

impl Sounds {
    /// How long a list of sounds plays, and which files do not exist.
    pub(super) fn play(&self, what: &[Sound], language: &[u8]) -> (Duration, Vec<Text>) {
        let mut time = Duration::ZERO;
        let mut missing = Vec::new();
        for sound in what {
            match sound {
                Sound::File(name) if !self.has(name, language) => missing.push(name.clone()),
                Sound::Say { .. } if *self == Sounds::None => {}
                _ => time = time.saturating_add(NOMINAL),
            }
        }
        (time, missing)
    }

    /// Whether a sound file exists in any format.
    pub(super) fn has(&self, name: &[u8], language: &[u8]) -> bool {
        match self {
            Sounds::Any => true,
            Sounds::None => false,
            Sounds::Folder(folder) => {
                let Ok(name) = std::str::from_utf8(name) else {
                    return false;
                };
                let language = String::from_utf8_lossy(language);
                exists(folder, name) || exists(&folder.join(&*language), name)
            }
        }
    }
}

/// Whether `folder/name` exists with any suffix.
fn exists(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    let (Some(parent), Some(file)) = (path.parent(), path.file_name()) else {
        return false;
    };
    let Ok(entries) = std::fs::read_dir(parent) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| Path::new(&entry.file_name()).file_stem() == Some(file))
}
