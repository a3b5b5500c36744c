//! Makes short what wasm-bindgen writes at length, in a program's module and its script alike: the names of what the
//! module has of JavaScript, which end with hashes, and the script's layout. Leaves out exports that nobody calls.
//!
//! What the module does is not touched; `wasm-opt` comes afterwards.

use std::collections::BTreeMap;
use std::convert::Infallible;

use anyhow::{Context as _, Result, ensure};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ExportSection, ImportSection, Module};

/// How the names begin of what Leptos exports for streaming answers of a server, which hopscope has none of.
const FOR_NOBODY: [&str; 2] = ["intounderlying", "__wbg_intounderlying"];
/// The classes of these in the script.
const NOBODYS_CLASSES: &str = "IntoUnderlying";

/// A program's script and module, with short names.
pub fn shorten(name: &str, script: &str, wasm: &[u8]) -> Result<(String, Vec<u8>)> {
    let mut names = Names { module: format!("./{name}_bg.js"), short: BTreeMap::new() };
    let mut module = Module::new();
    names
        .parse_core_module(&mut module, wasmparser::Parser::new(0), wasm)
        .with_context(|| format!("{name} could not be read as wasm-bindgen left it"))?;
    ensure!(!names.short.is_empty(), "wasm-bindgen imports from another module than before");
    let script = renamed(&plain(script), &names.short)?;
    Ok((script, module.finish()))
}

/// The module on its way from one to the other.
struct Names {
    /// From which wasm-bindgen imports.
    module: String,
    /// What is imported from there, and what it is called instead.
    short: BTreeMap<String, String>,
}

impl Reencode for Names {
    type Error = Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for import in section.into_imports() {
            let wasmparser::Import { module, name, ty } = import?;
            let ty = self.entity_type(ty)?;
            let next = format!("_{}", self.short.len());
            if module == self.module {
                let short = self.short.entry(name.to_owned()).or_insert(next);
                imports.import(module, short, ty);
            } else {
                imports.import(module, name, ty);
            }
        }
        Ok(())
    }

    fn parse_export(
        &mut self,
        exports: &mut ExportSection,
        export: wasmparser::Export<'_>,
    ) -> Result<(), reencode::Error> {
        if FOR_NOBODY.iter().any(|begin| export.name.starts_with(begin)) {
            return Ok(());
        }
        reencode::utils::parse_export(self, exports, export)
    }
}

/// A script without what only who reads it needs, and without the classes of exports that are left out.
fn plain(script: &str) -> String {
    let (mut comment, mut class) = (false, false);
    let mut plain = String::with_capacity(script.len());
    for line in script.lines() {
        let text = line.trim();
        comment |= text.starts_with("/**");
        class |= line.starts_with(&format!("export class {NOBODYS_CLASSES}"));
        let disposes = text.starts_with(&format!("if (Symbol.dispose) {NOBODYS_CLASSES}"));
        if !(comment || class || disposes || text.is_empty() || text.starts_with("//")) {
            plain.push_str(text);
            plain.push('\n');
        }
        comment &= !text.ends_with("*/");
        class &= line != "}";
    }
    plain
}

/// A script with other names for some words.
fn renamed(script: &str, names: &BTreeMap<String, String>) -> Result<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut renamed = String::with_capacity(script.len());
    let mut rest = script;
    while !rest.is_empty() {
        let at = rest.find(is_word).unwrap_or(rest.len());
        let (between, word) = rest.split_at(at);
        let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
        ensure!(!names.values().any(|short| short == word), "{word} is a name of wasm-bindgen's");
        renamed.push_str(between);
        renamed.push_str(names.get(word).map_or(word, String::as_str));
        rest = after;
    }
    Ok(renamed)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{EntityType, ExportKind, TypeSection};

    use super::*;

    /// A module that imports a function a name, from where it is told, and exports them all.
    fn module(imported: &[(&str, &str)], exported: &[&str]) -> Vec<u8> {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        let mut exports = ExportSection::new();
        types.ty().function([], []);
        for (module, name) in imported {
            imports.import(module, name, EntityType::Function(0));
        }
        for name in exported {
            exports.export(name, ExportKind::Func, 0);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&exports);
        module.finish()
    }

    #[test]
    fn names_are_short_on_both_ends_and_other_modules_keep_theirs() {
        let own = "./app_bg.js";
        let (get, new) = ("__wbg_get_0123456789abcdef", "__wbg_new_0123456789abcdef");
        let wasm = module(
            &[(own, get), ("./parts.js", get), (own, new)],
            &["main", "intounderlyingsink_close", "__wbg_intounderlyingsink_free"],
        );
        let script = format!(
            "/**\n * What it is.\n */\nexport class IntoUnderlyingSink {{\n    close() {{\n    }}\n}}\n\
             if (Symbol.dispose) IntoUnderlyingSink.prototype[Symbol.dispose] = 1;\n\
             const import0 = {{\n    // Why.\n    {get}: function() {{}},\n    {new}: x_{new},\n}};\n"
        );
        let (script, wasm) = shorten("app", &script, &wasm).unwrap();
        let unchanged = "x___wbg_new_0123456789abcdef";
        assert_eq!(
            script,
            format!("const import0 = {{\n_0: function() {{}},\n_1: {unchanged},\n}};\n")
        );
        let expected = module(&[(own, "_0"), ("./parts.js", get), (own, "_1")], &["main"]);
        assert_eq!(wasm, expected);
        assert!(shorten("worker", "", &wasm).is_err(), "nothing of its own is imported");
        assert!(shorten("app", "let _1;", &expected).is_err(), "the word is taken");
    }
}
