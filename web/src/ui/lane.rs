//! The time lane of a row: its stretches as they were laid out, nothing measured here.

use core::fmt::Write as _;

use hopscope_core::fmt;
use hopscope_core::interaction::{Owner, Part};
use hopscope_core::view::timeline::Bar;
use leptos::prelude::*;

/// The top and height of a bar, in pixels of a row of [`super::scroll::ROW`].
const TOP: f64 = 9.0;
const HEIGHT: f64 = 13.0;

/// The patterns that lanes are filled with, once for the page: colour is never the only sign.
#[component]
pub fn Patterns() -> impl IntoView {
    view! {
        <svg class="away" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="hatch-client" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch-client-ground" width="6" height="6"></rect>
                    <rect class="hatch-client-line" width="2" height="6"></rect>
                </pattern>
                <pattern id="hatch-open" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-open-line" width="1" height="5"></rect>
                </pattern>
            </defs>
        </svg>
    }
}

/// What the lane of an operation shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Its stretches.
    pub bars: Vec<Bar>,
    /// Where its task was looked at.
    pub polls: Vec<f64>,
}

/// The lane of an operation. Reading and zooming move the bars of all rows, so they are drawn as one piece of
/// markup, in a fraction of the time that an element each takes. No text of a capture is in it.
#[component]
pub fn Lane(
    /// What it shows.
    shown: ArcRwSignal<Drawing>,
    /// It failed: the last server stretch is where.
    bad: bool,
) -> impl IntoView {
    let bars = shown.clone();
    let words = move || words(&bars.read().bars);
    view! { <svg class="lane" role="img" aria-label=words inner_html=move || markup(&shown.read(), bad)></svg> }
}

fn markup(shown: &Drawing, bad: bool) -> String {
    let mut out = String::new();
    let last = shown.bars.iter().rposition(|bar| bar.owner == Owner::Server).filter(|_| bad);
    for (at, bar) in shown.bars.iter().enumerate() {
        // Writing to a string does not fail, here and below.
        let _ = draw(&mut out, bar, Some(at) == last);
    }
    for x in &shown.polls {
        // A mark below the lane, where a frame showed how the task stands.
        let _ = write!(
            out,
            r#"<path class="poll" data-poll="" d="M{x:.1} {}v4"><title>the task was looked at, or told how it stands</title></path>"#,
            TOP + HEIGHT
        );
    }
    out
}

/// The lane as a screen reader says it.
fn words(bars: &[Bar]) -> String {
    let some: Vec<_> = bars
        .iter()
        .take(12)
        .map(|bar| format!("{} {}", bar.owner.name(), fmt::short(bar.length)))
        .collect();
    let more = if bars.len() > some.len() { ", and more" } else { "" };
    some.join(", ") + more
}

fn draw(out: &mut String, bar: &Bar, failed: bool) -> core::fmt::Result {
    let hop = match bar.part {
        Part::Hop(number) => number.to_string(),
        Part::Task => "task".to_owned(),
    };
    let (class, owner, ns) =
        (if failed { "bar failed" } else { "bar" }, bar.owner.name(), bar.length.0);
    let title = title(bar, &hop, failed);
    write!(
        out,
        r#"<g class="{class}" data-owner="{owner}" data-hop="{hop}" data-ns="{ns}"><title>{title}</title>"#
    )?;
    let (top, height) = match bar.owner {
        Owner::Inside => (TOP + 3.0, HEIGHT - 6.0),
        _ => (TOP, HEIGHT),
    };
    let (x, wide) = (bar.x, bar.width);
    let (end, middle) = (x + wide, x + wide / 2.0);
    if bar.owner == Owner::Unanswered {
        // Open to the right: nobody knows how long it would have taken.
        write!(out, r#"<path d="M{end:.2} {top}H{x:.2}V{}H{end:.2}"/>"#, top + height)?;
    } else {
        write!(out, r#"<rect x="{x:.2}" y="{top}" width="{wide:.2}" height="{height}"/>"#)?;
    }
    if bar.folded && bar.owner == Owner::Client {
        let (left, right, y) = (middle - 2.0, middle + 2.0, top + 12.5);
        write!(
            out,
            r#"<path class="break" d="M{left:.2} {y}l3 -5l-4 -2l3 -5M{right:.2} {y}l3 -5l-4 -2l3 -5"/>"#
        )?;
    }
    if let Some(label) = &bar.label {
        write!(out, r#"<text class="wait" x="{middle:.2}" y="{}">{label}</text>"#, TOP - 2.0)?;
    }
    if failed {
        let (x, y) = (end + 4.0, top + 4.0);
        write!(out, r#"<path class="cross" d="M{x:.2} {y}l5 5m0 -5l-5 5"/>"#)?;
    }
    out.push_str("</g>");
    Ok(())
}

fn title(bar: &Bar, hop: &str, failed: bool) -> String {
    let whose = match bar.owner {
        Owner::Server => "server",
        Owner::Client => "client, before",
        Owner::Inside => "waiting for the client, inside",
        Owner::Unanswered => "unanswered, after",
    };
    let part = if hop == "task" { "task".to_owned() } else { format!("hop {hop}") };
    let merged =
        if bar.merged > 0 { format!(", and {} more here", bar.merged) } else { String::new() };
    let failed = if failed { ", failed" } else { "" };
    format!("{whose} {part}: {}{merged}{failed}", fmt::exact(bar.length))
}
