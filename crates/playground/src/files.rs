//! The folder of a ruleset: what is in it, and how it is written. Nothing outside it is ever touched.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Files larger than this are neither shown nor written.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// More files than this are not looked at.
const MAX_FILES: usize = 2000;
/// Folders within folders, counted from the ruleset's own.
const MAX_DEPTH: usize = 4;

/// Texts by their paths within the folder, such as `scenarios/heal.yaml`.
pub type Texts = BTreeMap<String, String>;

/// The folder of a ruleset.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

/// A file of the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it is within the folder, with `/` between the parts.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Stands for its contents.
    pub hash: String,
}

/// Why something cannot be done with a file.
#[derive(Debug)]
pub enum FolderError {
    /// The folder has no ruleset.
    NoRuleset(PathBuf),
    /// Not a path of a file of the folder.
    BadPath(String),
    /// There is no such file.
    Missing(String),
    /// It is larger than files may be.
    TooLarge(String),
    /// It is not text.
    NotText(String),
    /// The file has changed since it was read; this is its hash now, if it is still there.
    Changed(Option<String>),
    /// The system says so.
    Failed(String, io::Error),
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderError::NoRuleset(path) => {
                write!(
                    f,
                    "`{}` is not the folder of a ruleset: it has no .yaml or .json file",
                    path.display()
                )
            }
            FolderError::BadPath(path) => write!(
                f,
                "`{}` is not a file of the ruleset: paths lead down from its folder to .yaml, .yml, .json and .md files",
                path.escape_default()
            ),
            FolderError::Missing(path) => write!(f, "there is no file `{path}`"),
            FolderError::TooLarge(path) => write!(f, "`{path}` has more than {MAX_FILE_BYTES} bytes"),
            FolderError::NotText(path) => write!(f, "`{path}` is not UTF-8 text"),
            FolderError::Changed(_) => f.write_str("the file has changed on disk since it was read"),
            FolderError::Failed(path, error) => write!(f, "`{path}`: {error}"),
        }
    }
}

impl std::error::Error for FolderError {}

/// Stands for a text, as [`Found::hash`] does.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

impl Folder {
    /// The folder of a ruleset.
    ///
    /// # Errors
    ///
    /// If there is no ruleset in it.
    pub fn open(path: &Path) -> Result<Folder, FolderError> {
        let none = || FolderError::NoRuleset(path.to_owned());
        let root = path.canonicalize().map_err(|_| none())?;
        let folder = Folder { root };
        if !folder.root.is_dir() || !folder.list()?.iter().any(|found| is_rules(&found.path)) {
            return Err(none());
        }
        Ok(folder)
    }

    /// What the folder is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// All files, in order of their paths. Hidden ones and links are left out.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Found>, FolderError> {
        let mut found = Vec::new();
        self.walk(&self.root, "", 0, &mut found)?;
        found.sort_by(|one: &Found, other| one.path.cmp(&other.path));
        Ok(found)
    }

    fn walk(
        &self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        found: &mut Vec<Found>,
    ) -> Result<(), FolderError> {
        let failed = |error| FolderError::Failed(prefix.to_owned(), error);
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let path = format!("{prefix}{name}");
            if kind.is_dir() && depth < MAX_DEPTH {
                self.walk(&entry.path(), &format!("{path}/"), depth + 1, found)?;
            } else if kind.is_file() && has_known_type(name) && found.len() < MAX_FILES {
                // A file that vanishes meanwhile is no file of the folder.
                let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                if bytes > MAX_FILE_BYTES {
                    continue;
                }
                if let Ok(text) = std::fs::read(entry.path()) {
                    found.push(Found { path, bytes, hash: hash(&text) });
                }
            }
        }
        Ok(())
    }

    /// The text of a file.
    ///
    /// # Errors
    ///
    /// If there is no such file of the folder, or it is not text.
    pub fn read(&self, path: &str) -> Result<String, FolderError> {
        let full = self.place(path)?;
        let missing = || FolderError::Missing(path.to_owned());
        let metadata = full.symlink_metadata().map_err(|_| missing())?;
        if !metadata.is_file() {
            return Err(missing());
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(FolderError::TooLarge(path.to_owned()));
        }
        let bytes = std::fs::read(&full).map_err(|error| FolderError::Failed(path.to_owned(), error))?;
        String::from_utf8(bytes).map_err(|_| FolderError::NotText(path.to_owned()))
    }

    /// Writes a file, all of it or nothing. With `if_hash`, only if it is still what was read. Its new hash comes back.
    ///
    /// # Errors
    ///
    /// If the path leads elsewhere, the text is too long, the file has changed, or it cannot be written.
    pub fn write(&self, path: &str, text: &str, if_hash: Option<&str>) -> Result<String, FolderError> {
        let full = self.place(path)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(FolderError::TooLarge(path.to_owned()));
        }
        if let Some(expected) = if_hash {
            let now = std::fs::read(&full).ok().map(|bytes| hash(&bytes));
            if now.as_deref() != Some(expected) {
                return Err(FolderError::Changed(now));
            }
        }
        let failed = |error| FolderError::Failed(path.to_owned(), error);
        let parent = full.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(parent).map_err(failed)?;
        self.check_inside(path, parent)?;
        // A hidden name, so that nobody takes it for a file of the ruleset while it is there.
        let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let draft = parent.join(format!(".{name}.{}.tmp", std::process::id()));
        let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &full));
        written.map_err(|error| {
            let _ = std::fs::remove_file(&draft);
            failed(error)
        })?;
        Ok(hash(text.as_bytes()))
    }

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If there is no such file of the folder, or it cannot be removed.
    pub fn remove(&self, path: &str) -> Result<(), FolderError> {
        let full = self.place(path)?;
        if !full.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Err(FolderError::Missing(path.to_owned()));
        }
        std::fs::remove_file(&full).map_err(|error| FolderError::Failed(path.to_owned(), error))
    }

    /// All texts of rules and scenarios, with `unsaved` ones in the place of those on disk.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or an unsaved file is none of the ruleset.
    pub fn texts(&self, unsaved: &Texts) -> Result<Texts, FolderError> {
        let mut texts = Texts::new();
        for found in self.list()? {
            if let Ok(text) = self.read(&found.path) {
                texts.insert(found.path, text);
            }
        }
        for (path, text) in unsaved {
            self.place(path)?;
            texts.insert(path.clone(), text.clone());
        }
        texts.retain(|path, _| is_rules(path) || is_scenarios(path));
        Ok(texts)
    }

    /// Where a file is; refused if the path may lead out of the folder.
    fn place(&self, path: &str) -> Result<PathBuf, FolderError> {
        let bad = || FolderError::BadPath(path.to_owned());
        let is_plain =
            |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0', ':']);
        let parts: Vec<&str> = path.split('/').collect();
        if parts.len() > MAX_DEPTH + 1 || path.len() > 300 || !parts.iter().all(|part| is_plain(part)) {
            return Err(bad());
        }
        if !has_known_type(path)
            || !Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(bad());
        }
        let full = self.root.join(path);
        // What is there already must not be a link that leads elsewhere, nor lie behind one.
        let mut at = full.as_path();
        while at != self.root {
            if at.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(bad());
            }
            at = at.parent().ok_or_else(bad)?;
        }
        Ok(full)
    }

    fn check_inside(&self, path: &str, parent: &Path) -> Result<(), FolderError> {
        let is_inside = parent.canonicalize().is_ok_and(|parent| parent.starts_with(&self.root));
        if is_inside { Ok(()) } else { Err(FolderError::BadPath(path.to_owned())) }
    }
}

fn has_known_type(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json" | "md"))
}

/// Whether a path is one of rules: they stand in the folder itself.
pub(crate) fn is_rules(path: &str) -> bool {
    !path.contains('/') && !path.ends_with(".md")
}

/// Whether a path is one of scenarios.
pub(crate) fn is_scenarios(path: &str) -> bool {
    let inside = path.strip_prefix("scenarios/");
    inside.is_some_and(|name| !name.contains('/') && !name.ends_with(".md"))
}

impl Found {
    /// `rules`, `scenarios` or `other`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.path {
            path if is_rules(path) => "rules",
            path if is_scenarios(path) => "scenarios",
            _ => "other",
        }
    }
}

/// The files that are rules, as the compiler takes them.
pub(crate) fn rules_of(texts: &Texts) -> Vec<(String, Vec<u8>)> {
    let rules = texts.iter().filter(|(path, _)| is_rules(path));
    rules.map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}
