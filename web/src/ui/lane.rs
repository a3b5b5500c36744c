//! The time lane of a row: its stretches as they were laid out, nothing measured here.

use hopscope_core::fmt;
use hopscope_core::interaction::{Owner, Part};
use hopscope_core::view::timeline::Bar;

use super::markup::Markup;

/// The top and height of a bar, in pixels of a row of [`super::scroll::ROW`].
const TOP: f64 = 9.0;
const HEIGHT: f64 = 13.0;

/// The lane of an operation: its stretches, where its task was looked at, and whether it failed, which was in the last
/// server stretch.
pub fn draw(bars: &[Bar], polls: &[f64], bad: bool) -> Markup {
    let mut out = Markup::default();
    let last = bars.iter().rposition(|bar| bar.owner == Owner::Server).filter(|_| bad);
    for (at, bar) in bars.iter().enumerate() {
        stretch(&mut out, bar, Some(at) == last);
    }
    for &x in polls {
        // A mark below the lane, where a frame showed how the task stands.
        out.raw("<path class=\"poll\" data-poll=\"\" d=\"M")
            .pixels(x)
            .raw(" ")
            .pixels(TOP + HEIGHT);
        out.raw("v4\"><title>the task was looked at, or told how it stands</title></path>");
    }
    out
}

/// The lane as a screen reader says it.
pub fn words(bars: &[Bar]) -> String {
    let some: Vec<_> = bars
        .iter()
        .take(12)
        .map(|bar| format!("{} {}", bar.owner.name(), fmt::short(bar.length)))
        .collect();
    let more = if bars.len() > some.len() { ", and more" } else { "" };
    some.join(", ") + more
}

fn stretch(out: &mut Markup, bar: &Bar, failed: bool) {
    let hop = match bar.part {
        Part::Hop(number) => number.to_string(),
        Part::Task => "task".to_owned(),
    };
    out.raw("<g class=\"").raw(if failed { "bar failed" } else { "bar" }).raw("\"");
    out.attribute("data-owner", bar.owner.name()).attribute("data-hop", &hop);
    out.raw(" data-ns=\"").number(bar.length.0).raw("\"><title>");
    out.text(&title(bar, &hop, failed)).raw("</title>");
    let (top, height) = match bar.owner {
        Owner::Inside => (TOP + 3.0, HEIGHT - 6.0),
        _ => (TOP, HEIGHT),
    };
    let (x, wide) = (bar.x, bar.width);
    let (end, middle) = (x + wide, x + wide / 2.0);
    if bar.owner == Owner::Unanswered {
        // Open to the right: nobody knows how long it would have taken.
        out.raw("<path d=\"M").pixels(end).raw(" ").pixels(top).raw("H").pixels(x).raw("V");
        out.pixels(top + height).raw("H").pixels(end).raw("\"/>");
    } else {
        out.raw("<rect x=\"").pixels(x).raw("\" y=\"").pixels(top).raw("\" width=\"").pixels(wide);
        out.raw("\" height=\"").pixels(height).raw("\"/>");
    }
    if bar.folded && bar.owner == Owner::Client {
        let y = top + 12.5;
        out.raw("<path class=\"break\" d=\"M").pixels(middle - 2.0).raw(" ").pixels(y);
        out.raw("l3 -5l-4 -2l3 -5M").pixels(middle + 2.0).raw(" ").pixels(y);
        out.raw("l3 -5l-4 -2l3 -5\"/>");
    }
    if let Some(label) = &bar.label {
        out.raw("<text class=\"wait\" x=\"").pixels(middle).raw("\" y=\"").pixels(TOP - 2.0);
        out.raw("\">").text(label).raw("</text>");
    }
    if failed {
        out.raw("<path class=\"cross\" d=\"M").pixels(end + 4.0).raw(" ").pixels(top + 4.0);
        out.raw("l5 5m0 -5l-5 5\"/>");
    }
    out.raw("</g>");
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
