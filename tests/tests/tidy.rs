//! What keeps the repository pleasant: short files, no paths of anyone's machine, links that lead somewhere.

use hopscope_tests::sources::{files, read, root};

/// Longer than this, a file owns more than one thing.
const LONGEST: usize = 700;

/// Starts of absolute paths that exist on somebody's machine only.
const MACHINES: &[&str] =
    &[concat!("/", "work/"), concat!("/", "root/"), concat!("/", "home/"), concat!("/", "Users/")];

const TEXT: &[&str] =
    &["rs", "md", "toml", "html", "css", "js", "json", "yml", "yaml", "sh", "txt", "lock", "svg"];

fn extension(path: &str) -> &str {
    path.rsplit('/')
        .next()
        .unwrap_or_default()
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
}

fn is_text(path: &str) -> bool {
    !path.starts_with("fixtures/") && (TEXT.contains(&extension(path)) || path == ".ci/run")
}

#[test]
fn no_source_is_too_long() {
    let long: Vec<String> = ["core", "web", "cli"]
        .into_iter()
        .flat_map(files)
        .filter(|path| ["rs", "css", "js"].contains(&extension(path)))
        .map(|path| (read(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > LONGEST)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "over {LONGEST} lines, so split it by what it owns: {long:#?}");
}

#[test]
fn no_file_names_somebodys_machine() {
    let mut wrong = Vec::new();
    for path in files("").into_iter().filter(|path| is_text(path)) {
        for (number, line) in read(&path).lines().enumerate() {
            for start in MACHINES {
                // Part of a longer path, such as an address on the web, is no such path.
                let absolute = line.match_indices(start).any(|(at, _)| {
                    line[..at]
                        .chars()
                        .next_back()
                        .is_none_or(|c| !c.is_alphanumeric() && !"-_.~/}".contains(c))
                });
                if absolute {
                    wrong.push(format!("{path}:{}: {start}…", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "absolute paths of a machine: {wrong:#?}");
}

#[test]
fn relative_links_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in files("").into_iter().filter(|path| extension(path) == "md") {
        let text = read(&path);
        let folder = root().join(&path);
        let folder = folder.parent().expect("a file is in a folder");
        for target in links(&text) {
            let file = target.split(['#', '?']).next().unwrap_or_default();
            let elsewhere =
                target.contains("://") || target.starts_with("mailto:") || file.is_empty();
            if !elsewhere && !folder.join(file).exists() {
                wrong.push(format!("{path}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "links to nothing: {wrong:#?}");
}

/// The targets of `[text](target)` and `[name]: target` outside code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        // Every second piece between backticks is code.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for piece in prose.split("](").skip(1) {
            let target = piece.split([')', ' ']).next().unwrap_or_default();
            found.push(target.trim_matches(['<', '>']).to_owned());
        }
        if let Some((_, target)) = prose.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            found.push(target.split(' ').next().unwrap_or_default().to_owned());
        }
    }
    found
}

#[test]
fn links_are_found() {
    let text = "see [a](b.md#c) and `[x](y)`\n```\n[no](no)\n```\n[d]: e.md 'title'\n";
    assert_eq!(links(text), ["b.md#c", "e.md"]);
}
