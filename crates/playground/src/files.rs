//! Folder of a ruleset: listing, reading and writing its files. Nothing outside of it is ever touched.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Maximum size of a file that is shown or written.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Maximum number of files that are listed.
const MAX_FILES: usize = 2000;
/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 4;

/// Texts of files by their path within the folder, such as `scenarios/heal.yaml`.
pub type FileTexts = BTreeMap<String, String>;

/// Folder of a ruleset.
#[derive(Clone, Debug)]
pub struct RulesetFolder {
    root: PathBuf,
}

/// File of the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulesetFile {
    /// Path within the folder, with `/` between its parts.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Hash of its contents.
    pub hash: String,
}

/// Error of a file operation.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder contains no ruleset.
    #[error("the folder `{}` contains no ruleset: it has no .yaml or .json file", .0.display())]
    NoRuleset(PathBuf),
    /// The path is not that of a ruleset file in the folder.
    #[error(
        "`{}` is not a file of the ruleset: paths must be inside its folder and end in .yaml, .yml, .json or .md",
        .0.escape_default()
    )]
    BadPath(String),
    /// The file does not exist.
    #[error("no file `{0}`")]
    Missing(String),
    /// The file is too large.
    #[error("`{0}` is larger than {MAX_FILE_BYTES} bytes")]
    TooLarge(String),
    /// The file is not UTF-8 text.
    #[error("`{0}` is not UTF-8 text")]
    NotText(String),
    /// The file has changed since it was read. Holds its current hash, unless it was removed.
    #[error("the file has changed on disk since it was read")]
    Changed(Option<String>),
    /// The operating system reported an error.
    #[error("`{0}`: {1}")]
    Failed(String, io::Error),
}

/// Hashes the contents of a file, as in [`RulesetFile::hash`].
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

impl RulesetFolder {
    /// Opens the folder of a ruleset.
    ///
    /// # Errors
    ///
    /// Returns an error if it contains no ruleset.
    pub fn open(path: &Path) -> Result<RulesetFolder, FolderError> {
        let none = || FolderError::NoRuleset(path.to_owned());
        let root = path.canonicalize().map_err(|_| none())?;
        let folder = RulesetFolder { root };
        if !folder.root.is_dir() || !folder.list()?.iter().any(|found| is_rules(&found.path)) {
            return Err(none());
        }
        Ok(folder)
    }

    /// Returns the name of the folder.
    #[must_use]
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Returns the pictures of the ruleset: path and contents.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn assets(&self) -> Result<Vec<(String, Vec<u8>)>, FolderError> {
        let failed = |error| FolderError::Failed("assets".to_owned(), error);
        intermezzo_compiler::load_assets(&self.root).map_err(failed)
    }

    /// Lists all files, sorted by path. Hidden files and links are skipped.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<RulesetFile>, FolderError> {
        let mut found = Vec::new();
        self.walk(&self.root, "", 0, &mut found)?;
        found.sort_by(|one: &RulesetFile, other| one.path.cmp(&other.path));
        Ok(found)
    }

    fn walk(
        &self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        found: &mut Vec<RulesetFile>,
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
                // Skip files that are removed while the folder is listed.
                let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                if bytes > MAX_FILE_BYTES {
                    continue;
                }
                if let Ok(text) = std::fs::read(entry.path()) {
                    found.push(RulesetFile { path, bytes, hash: hash(&text) });
                }
            }
        }
        Ok(())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist or is not text.
    pub fn read(&self, path: &str) -> Result<String, FolderError> {
        let full = self.resolve(path)?;
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

    /// Writes a file atomically and returns its new hash. With `if_hash`, only if the current hash matches.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is invalid, the text is too long, the file has changed, or it cannot be
    /// written.
    pub fn write(&self, path: &str, text: &str, if_hash: Option<&str>) -> Result<String, FolderError> {
        let full = self.resolve(path)?;
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
        // The temporary file is hidden, so that it is not listed as a file of the ruleset.
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
    /// Returns an error if the file does not exist or cannot be removed.
    pub fn remove(&self, path: &str) -> Result<(), FolderError> {
        let full = self.resolve(path)?;
        if !full.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Err(FolderError::Missing(path.to_owned()));
        }
        std::fs::remove_file(&full).map_err(|error| FolderError::Failed(path.to_owned(), error))
    }

    /// Reads all rules and scenarios. Texts in `unsaved` replace those on disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read or the path of an unsaved file is invalid.
    pub fn texts(&self, unsaved: &FileTexts) -> Result<FileTexts, FolderError> {
        let mut texts = FileTexts::new();
        for found in self.list()? {
            if let Ok(text) = self.read(&found.path) {
                texts.insert(found.path, text);
            }
        }
        for (path, text) in unsaved {
            self.resolve(path)?;
            texts.insert(path.clone(), text.clone());
        }
        texts.retain(|path, _| is_rules(path) || is_scenarios(path));
        Ok(texts)
    }

    /// Resolves a path. Rejects paths that could lead out of the folder.
    fn resolve(&self, path: &str) -> Result<PathBuf, FolderError> {
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
        // Neither the file nor a folder above it may be a link that leads elsewhere.
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

/// Returns whether the file contains rules: those are directly in the folder.
pub(crate) fn is_rules(path: &str) -> bool {
    !path.contains('/') && !path.ends_with(".md")
}

/// Returns whether the file contains scenarios.
pub(crate) fn is_scenarios(path: &str) -> bool {
    let inside = path.strip_prefix("scenarios/");
    inside.is_some_and(|name| !name.contains('/') && !name.ends_with(".md"))
}

impl RulesetFile {
    /// Returns `rules`, `scenarios` or `other`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.path {
            path if is_rules(path) => "rules",
            path if is_scenarios(path) => "scenarios",
            _ => "other",
        }
    }
}

/// Returns the files with rules, as the compiler takes them.
pub(crate) fn rules_of(texts: &FileTexts) -> Vec<(String, Vec<u8>)> {
    let rules = texts.iter().filter(|(path, _)| is_rules(path));
    rules.map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}
