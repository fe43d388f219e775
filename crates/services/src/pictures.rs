//! Pictures of published rulesets, stored under the hash of their contents.

use std::collections::BTreeMap;

use intermezzo_compiler::assets::{Asset, AssetKind, from_text, to_text};
use intermezzo_protocol::{PictureAddress, Problem};
use serde::{Deserialize, Serialize};

use super::Services;
use super::invalid;
use super::publish::{CompiledRuleset, FilesByPath};
use super::transaction::ServiceTransaction;

pub(crate) type PicturesByPath = BTreeMap<String, PictureAddress>;

/// Folder of the pictures in a ruleset.
const FOLDER: &str = "assets/";

/// A stored picture.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct StoredPicture {
    /// File name extension: `svg` or `webp`.
    extension: String,
    /// Contents: SVG as text, WebP as Base64.
    text: String,
}

pub(crate) fn pictures_key(ruleset_hash: &str) -> String {
    format!("ruleset-pictures/{ruleset_hash}")
}

fn picture_key(hash: &str) -> String {
    format!("picture/{hash}")
}

/// Returns the address of a picture on any server that has it.
#[must_use]
pub fn picture_address(asset: &Asset) -> PictureAddress {
    let url = format!("/pictures/{}.{}", asset.hash, asset.kind.extension());
    PictureAddress { url, prefix: asset.prefix.clone() }
}

/// Returns the pictures among the files of a ruleset.
pub(crate) fn picture_files(files: &FilesByPath) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let pictures = files.iter().filter(|(path, _)| path.starts_with(FOLDER));
    let decode = |(path, text): (&String, &String)| {
        let bytes = match AssetKind::of(path) {
            Some(kind) => from_text(kind, text),
            None => Some(text.clone().into_bytes()),
        };
        let bytes = bytes.ok_or_else(|| invalid(format!("`{path}` must be encoded as Base64")))?;
        Ok((path.clone(), bytes))
    };
    pictures.map(decode).collect()
}

/// Writes the pictures of a ruleset and their addresses.
pub(crate) fn write_pictures(
    tx: &mut ServiceTransaction<'_>,
    ruleset_hash: &str,
    compiled: &CompiledRuleset,
) -> Result<(), Problem> {
    for (_, asset) in compiled.assets() {
        let text = to_text(asset.kind, &asset.bytes);
        let stored = StoredPicture { extension: asset.kind.extension().to_owned(), text };
        tx.write(&picture_key(&asset.hash), &stored)?;
    }
    tx.write(&pictures_key(ruleset_hash), compiled.pictures())
}

impl Services {
    /// Returns the addresses of a ruleset's pictures, by path.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn pictures(&self, ruleset_hash: &str) -> Result<BTreeMap<String, PictureAddress>, Problem> {
        Ok(self.read_record(&pictures_key(ruleset_hash)).await?.unwrap_or_default())
    }

    /// Returns a picture by its file name: the hash of its contents and an extension.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn picture(&self, file: &str) -> Result<(AssetKind, Vec<u8>), Problem> {
        let missing = || Problem::not_found("picture");
        let (hash, extension) = file.split_once('.').ok_or_else(missing)?;
        if hash.len() != 32 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(missing());
        }
        let stored: Option<StoredPicture> = self.read_record(&picture_key(hash)).await?;
        let stored = stored.filter(|stored| stored.extension == extension).ok_or_else(missing)?;
        let kind = AssetKind::of(file).ok_or_else(missing)?;
        Ok((kind, from_text(kind, &stored.text).ok_or_else(missing)?))
    }
}
