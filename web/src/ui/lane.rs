//! The time lane of a row: its stretches as they were laid out, nothing measured here.

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

/// The lane of an operation.
#[component]
pub fn Lane(
    /// Its stretches.
    bars: Vec<Bar>,
    /// Where its task was looked at.
    polls: Vec<f64>,
    /// It failed: the last server stretch is where.
    bad: bool,
) -> impl IntoView {
    let last = bars.iter().rposition(|bar| bar.owner == Owner::Server).filter(|_| bad);
    let words = words(&bars);
    let drawn =
        bars.into_iter().enumerate().map(|(at, bar)| draw(bar, Some(at) == last)).collect_view();
    let polls = polls.into_iter().map(poll).collect_view();
    view! { <svg class="lane" role="img" aria-label=words>{drawn}{polls}</svg> }
}

/// A mark below the lane, where a frame showed how the task stands.
fn poll(x: f64) -> impl IntoView {
    let path = format!("M{x:.1} {}v4", TOP + HEIGHT);
    view! { <path class="poll" data-poll="" d=path><title>"the task was looked at, or told how it stands"</title></path> }
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

fn draw(bar: Bar, failed: bool) -> impl IntoView {
    let owner = bar.owner;
    let hop = match bar.part {
        Part::Hop(number) => number.to_string(),
        Part::Task => "task".to_owned(),
    };
    let title = title(&bar, &hop, failed);
    let (top, height) = match owner {
        Owner::Inside => (TOP + 3.0, HEIGHT - 6.0),
        _ => (TOP, HEIGHT),
    };
    let (x, end, middle) = (bar.x, bar.x + bar.width, bar.x + bar.width / 2.0);
    let shape = match owner {
        Owner::Unanswered => {
            // Open to the right: nobody knows how long it would have taken.
            let path = format!("M{end} {top}H{x}V{}H{end}", top + height);
            view! { <path d=path></path> }.into_any()
        }
        _ => view! { <rect x=x y=top width=bar.width height=height></rect> }.into_any(),
    };
    let folded = (bar.folded && owner == Owner::Client).then(|| {
        let path = format!(
            "M{} {}l3 -5l-4 -2l3 -5M{} {}l3 -5l-4 -2l3 -5",
            middle - 2.0,
            top + 12.5,
            middle + 2.0,
            top + 12.5
        );
        view! { <path class="break" d=path></path> }
    });
    let label =
        bar.label.map(|label| view! { <text class="wait" x=middle y=TOP - 2.0>{label}</text> });
    let mark = failed.then(|| {
        let path = format!("M{} {}l5 5m0 -5l-5 5", end + 4.0, top + 4.0);
        view! { <path class="cross" d=path></path> }
    });
    view! {
        <g class="bar" class:failed=failed data-owner=owner.name() data-hop=hop data-ns=bar.length.0.to_string()>
            <title>{title}</title>
            {shape}{folded}{label}{mark}
        </g>
    }
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
