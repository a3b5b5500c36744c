//! Which module may know which, as data. `ARCHITECTURE.md` tells why.

use hopscope_tests::sources::{files, paths, read};

/// core's modules from the bottom up: a module may use those of the rows above its own in this table,
/// never those below it.
const LAYERS: &[Layer] = &[
    Layer { modules: &["units", "ids", "json", "sorting", "table"], siblings: true },
    Layer { modules: &["issue"], siblings: false },
    Layer { modules: &["jsonrpc", "fmt", "token"], siblings: false },
    Layer { modules: &["frame"], siblings: false },
    Layer { modules: &["capture", "call"], siblings: false },
    Layer { modules: &["interaction"], siblings: false },
    Layer { modules: &["check"], siblings: false },
    Layer { modules: &["view", "export"], siblings: false },
    Layer { modules: &["engine"], siblings: false },
];

struct Layer {
    modules: &'static [&'static str],
    /// Whether the modules of this row may use each other.
    siblings: bool,
}

/// What core must not name, and why. It is a function of the bytes it is given, natively and as wasm32.
const NOT_IN_CORE: &[(&str, &str)] = &[
    ("web_sys", "core knows no browser"),
    ("js_sys", "core knows no browser"),
    ("wasm_bindgen", "core knows no browser"),
    ("gloo_file", "core knows no browser"),
    ("leptos", "core knows no page"),
    ("tokio", "core is not async"),
    ("futures", "core is not async"),
    ("anyhow", "core's errors are types that carry the reason"),
    ("std::fs", "core reads no files: bytes are pushed to it"),
    ("std::net", "core has no network"),
    ("std::env", "core's behaviour depends on its arguments alone"),
    ("std::process", "core starts and ends nothing"),
    ("std::thread", "wasm32-unknown-unknown has no threads"),
    ("std::time::SystemTime", "core has no clock"),
    ("std::time::Instant", "core has no clock"),
];

/// Who may name core's engine: its only users are the worker, the command line and tests.
const ENGINE_USERS: &[&str] =
    &["cli/", "tests/", "fuzz/", "core/", "web/src/worker", "web/src/bin/worker"];

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.modules.contains(&module))
}

/// `call/pair.rs` gives `["call", "pair"]`, `call/mod.rs` gives `["call"]`.
fn module_of<'a>(path: &'a str, folder: &str) -> Vec<&'a str> {
    let inside = path.strip_prefix(folder).unwrap_or(path).trim_end_matches(".rs");
    let inside = inside.trim_end_matches("/mod");
    inside.split('/').filter(|part| !matches!(*part, "lib" | "main")).collect()
}

fn sources(folder: &str) -> Vec<String> {
    files(folder).into_iter().filter(|path| path.ends_with(".rs")).collect()
}

fn is_test_module(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

fn names(path: &str, what: &str) -> bool {
    path.strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[test]
fn core_imports_only_downwards() {
    let mut wrong = Vec::new();
    for path in sources("core/src") {
        let module = module_of(&path, "core/src/");
        let Some(own) = module.first() else { continue };
        if is_test_module(&path) || *own == "tests" {
            continue;
        }
        let Some(own_layer) = layer_of(own) else {
            wrong.push(format!("{path}: the module `{own}` has no layer: add it to LAYERS in tests/tests/layering.rs"));
            continue;
        };
        for used in paths(&read(&path), &module) {
            let Some(rest) = used.strip_prefix("crate::") else { continue };
            let other = rest.split("::").next().unwrap_or_default();
            if other == *own {
                continue;
            }
            match layer_of(other) {
                None => wrong.push(format!("{path}: `{used}` names no module of LAYERS: use it by its module, so that the layer shows")),
                Some(layer) if layer > own_layer => wrong.push(format!("{path}: `{own}` must not know `{other}`, which is built on it (`{used}`)")),
                Some(layer) if layer == own_layer && !LAYERS[layer].siblings => {
                    wrong.push(format!("{path}: `{own}` and `{other}` are siblings and must not know each other (`{used}`)"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn core_is_a_function_of_its_bytes() {
    let mut wrong = Vec::new();
    for path in sources("core/src").into_iter().filter(|path| !is_test_module(path)) {
        for used in paths(&read(&path), &module_of(&path, "core/src/")) {
            let used = if let Some(rest) = used.strip_prefix("core::") {
                format!("std::{rest}")
            } else {
                used
            };
            for (banned, reason) in NOT_IN_CORE {
                if names(&used, banned) {
                    wrong.push(format!("{path}: `{used}`: {reason}"));
                }
            }
        }
    }
    let manifest = read("core/Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    for line in dependencies.lines().take_while(|line| !line.starts_with('[')) {
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default().replace('-', "_");
        for (banned, reason) in NOT_IN_CORE.iter().filter(|(banned, _)| *banned == name) {
            wrong.push(format!("core/Cargo.toml: {banned}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_engine_has_few_users() {
    let mut wrong = Vec::new();
    for path in ["web/src", "xtask/src"].into_iter().flat_map(sources) {
        if ENGINE_USERS.iter().any(|user| path.starts_with(user)) {
            continue;
        }
        let folder = format!("{}/src/", path.split('/').next().unwrap_or_default());
        for used in paths(&read(&path), &module_of(&path, &folder)) {
            if names(&used, "hopscope_core::engine") || names(&used, "hopscope_core::Engine") {
                wrong.push(format!(
                    "{path}: `{used}`: only the worker, the command line and tests use the engine"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_module_says_what_it_owns() {
    let missing: Vec<String> = files("")
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .filter(|path| !read(path).trim_start_matches('\u{feff}').starts_with("//!"))
        .collect();
    assert!(
        missing.is_empty(),
        "these do not open with `//!`, what they own and what they do not: {missing:#?}"
    );
}

#[test]
fn every_member_has_the_workspace_lints() {
    let manifest = read("Cargo.toml");
    let (_, members) =
        manifest.split_once("\nmembers = [").expect("the workspace lists its members");
    let members = members.split_once(']').expect("the list ends").0;
    let members: Vec<&str> =
        members.split(',').map(|m| m.trim().trim_matches('"')).filter(|m| !m.is_empty()).collect();
    assert!(members.contains(&"core"), "{members:?}");
    for member in members {
        let text = read(&format!("{member}/Cargo.toml"));
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{member}/Cargo.toml lacks `[lints] workspace = true`"
        );
    }
}
