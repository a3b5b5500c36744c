//! The workspace's own files, for the tests that hold the code to its rules: finding them, and the
//! paths that a Rust source names. Knows none of the rules.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The root of this clone.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Folders that hold no file of ours.
const SKIPPED: &[&str] = &["target", "dist", ".git", "node_modules", "corpus", "artifacts"];

/// Every file below `folder` (from the root), with its path from the root, sorted.
///
/// # Panics
/// When a folder cannot be read.
#[must_use]
pub fn files(folder: &str) -> Vec<String> {
    let (root, mut found) = (root(), Vec::new());
    let mut open = vec![root.join(folder)];
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if !SKIPPED.contains(&name.as_ref()) {
                    open.push(path);
                }
            } else if let Ok(inside) = path.strip_prefix(&root) {
                let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
                found.push(parts.join("/"));
            }
        }
    }
    found.sort();
    found
}

/// A text file, by its path from the root.
///
/// # Panics
/// When it cannot be read as text.
#[must_use]
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The paths that a source names outside its tests, as written in full: `use std::{fs, time::Instant}`
/// gives `std::fs` and `std::time::Instant`; `super` and `self` are resolved to `crate::…`.
///
/// `module` is where the source stands, such as `["call", "pair"]` for `call/pair.rs`. Comments and
/// strings name nothing. Items under `#[cfg(test)]` are left out.
///
/// # Panics
/// When the source is not Rust.
#[must_use]
pub fn paths(source: &str, module: &[&str]) -> Vec<String> {
    let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("not Rust: {e}"));
    let mut found = Vec::new();
    let mut module = module.iter().copied().map(str::to_owned).collect();
    walk(tokens, &mut module, &mut found);
    found
}

fn walk(tokens: TokenStream, module: &mut Vec<String>, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            at = end_of_item(&tokens, at + 2);
            continue;
        }
        if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] =
            &tokens[at..]
            && word == "mod"
            && body.delimiter() == Delimiter::Brace
        {
            module.push(name.to_string());
            walk(body.stream(), module, found);
            module.pop();
            at += 3;
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(_) => at = path(&tokens, at, "", module, found),
            TokenTree::Group(group) => {
                walk(group.stream(), module, found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads the path that starts at `at`, and returns where it ends.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    prefix: &str,
    module: &mut Vec<String>,
    found: &mut Vec<String>,
) -> usize {
    let mut path = prefix.to_owned();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(part)) => {
                let part = part.to_string();
                if !path.is_empty() {
                    path.push_str("::");
                }
                path.push_str(part.trim_start_matches("r#"));
                at += 1;
            }
            // The braces of `use a::{b, c}`.
            Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Brace && !path.is_empty() =>
            {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut inside = 0;
                while inside < inner.len() {
                    inside = match inner[inside] {
                        TokenTree::Ident(_) => self::path(&inner, inside, &path, module, found),
                        _ => inside + 1,
                    };
                }
                return at + 1;
            }
            _ => break,
        }
        if !is_separator(tokens, at) {
            break;
        }
        // `::<T>` and `::*` end it; what follows is looked at on its own.
        match tokens.get(at + 2) {
            Some(TokenTree::Ident(_)) => at += 2,
            Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace => at += 2,
            _ => break,
        }
    }
    found.push(resolve(&path, module));
    at
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |i: usize| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(at) && colon(at + 1)
}

fn resolve(path: &str, module: &[String]) -> String {
    let mut depth = module.len();
    let mut rest = path;
    let mut relative = false;
    loop {
        let (first, tail) = rest.split_once("::").unwrap_or((rest, ""));
        match first {
            "self" => {}
            "super" => depth = depth.saturating_sub(1),
            _ => break,
        }
        relative = true;
        rest = tail;
    }
    if !relative {
        return path.to_owned();
    }
    let above = module[..depth].iter().map(String::as_str);
    let parts: Vec<&str> =
        std::iter::once("crate").chain(above).chain((!rest.is_empty()).then_some(rest)).collect();
    parts.join("::")
}

fn is_cfg_test(tokens: &[TokenTree]) -> bool {
    match tokens {
        [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] => {
            hash.as_char() == '#'
                && attribute.stream().to_string().replace(' ', "").starts_with("cfg(test)")
        }
        _ => false,
    }
}

/// Past the item that starts at `at`: its braces, or its semicolon.
fn end_of_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => {
                // `use a::{b};` goes on to its semicolon.
                let semicolon =
                    matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ';');
                return at + usize::from(semicolon);
            }
            TokenTree::Punct(p) if p.as_char() == ';' => return at,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_in_full() {
        let source = r#"
            //! crate::not_this
            use std::{fs, time::{Duration, Instant as Now}};
            use super::pair::Pair;
            use crate::frame::*;
            fn f(x: self::inner::X) -> Vec<crate::units::Ns> { g::<super::super::ids::Id>("crate::nor_this") }
            mod inner { use super::super::link; }
            #[cfg(test)]
            mod tests { use crate::engine::Engine; }
            #[cfg(test)]
            use crate::engine::{Engine};
            macro_rules! m { () => { crate::view::row!() } }
        "#;
        let found = paths(source, &["call", "hops"]);
        for wanted in [
            "std::fs",
            "std::time::Duration",
            "std::time::Instant",
            "crate::call::pair::Pair",
            "crate::frame",
            "crate::call::hops::inner::X",
            "crate::units::Ns",
            "crate::ids::Id",
            "crate::call::link",
            "crate::view::row",
        ] {
            assert!(found.iter().any(|path| path == wanted), "{wanted} is not in {found:?}");
        }
        assert!(
            !found.iter().any(|path| path.contains("engine") || path.contains("this")),
            "{found:?}"
        );
    }
}
