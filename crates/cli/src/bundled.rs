//! Rulesets built into the program, so that it works without a `rulesets` folder.

/// Ruleset built into the binary.
#[derive(Debug)]
pub(crate) struct BundledRuleset {
    pub(crate) name: &'static str,
    /// Path and contents of each file. Pictures are in `assets/`.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

macro_rules! bundled {
    ($($name:literal: [$($file:literal),+];)*) => {
        /// All built-in rulesets.
        pub(crate) const BUNDLED: &[BundledRuleset] = &[$(BundledRuleset {
            name: $name,
            files: &[$(($file, include_str!(concat!("../../../rulesets/", $name, "/", $file)))),+],
        }),*];
    };
}

bundled! {
    "dogma": [
        "age1.yaml", "age2.yaml", "age3.yaml", "assets/cover.svg", "assets/dogma.svg", "deeds.yaml", "dogma.yaml",
        "presentation.yaml", "ruleset.yaml"
    ];
    "draft": [
        "amber.yaml", "assets/cover.svg", "assets/draft.svg", "azure.yaml", "ivory.yaml", "jade.yaml", "judging.yaml",
        "presentation.yaml", "rose.yaml", "ruleset.yaml", "silver.yaml"
    ];
    "mages": [
        "assets/cover.svg", "assets/mages.svg", "bots.yaml", "creatures.yaml", "keywords.yaml", "presentation.yaml",
        "relics.yaml", "ruleset.yaml", "spells.yaml"
    ];
    "orcain": ["assets/cover.svg", "ruleset.yaml"];
    "skirmish": [
        "assets/cover.svg", "assets/skirmish.svg", "attack.yaml", "bots.yaml", "creatures.yaml", "damage.yaml",
        "features.yaml", "field.yaml", "presentation.yaml", "ruleset.yaml", "saves.yaml", "spells.yaml", "turn.yaml"
    ];
}

#[cfg(test)]
mod tests {
    use super::BUNDLED;

    /// Every ruleset of the repository is built in, so that it can be played by name anywhere.
    #[test]
    fn every_ruleset_is_bundled() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
        for entry in std::fs::read_dir(folder).expect("the rulesets are there") {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("names of rulesets are plain");
            let Ok(files) = std::fs::read_dir(&path) else { continue };
            let bundled = BUNDLED.iter().find(|bundled| bundled.name == name);
            let bundled = bundled.unwrap_or_else(|| panic!("add `{name}` to the list in bundled.rs"));
            for file in files {
                let file = file.expect("the folder can be read").path();
                let is_rules =
                    file.extension().is_some_and(|extension| extension == "yaml" || extension == "json");
                let file_name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let is_there = bundled.files.iter().any(|(known, _)| *known == file_name);
                assert!(!is_rules || is_there, "add `{file_name}` of `{name}` to the list in bundled.rs");
            }
            for file in std::fs::read_dir(path.join("assets")).into_iter().flatten() {
                let file = format!("assets/{}", file.expect("the folder can be read").file_name().display());
                let is_there = bundled.files.iter().any(|(known, _)| *known == file);
                assert!(is_there, "add `{file}` of `{name}` to the list in bundled.rs");
            }
        }
    }
}
