//! Operations: a row of the waterfall each, and below it their hops and messages, folded.

use super::escape::Html;
use crate::export::ExportError;
use crate::export::driver::Cx;
use crate::export::pretty::payload;
use crate::export::shared::{asked_methods, stretch};
use crate::fmt;
use crate::ids::FrameIdx;
use crate::interaction::words::operation;
use crate::interaction::{HopView, Interaction, Owner, Segment};
use crate::units::{Instant, Nanos};

/// The width of a lane in the units of its drawing.
const LANE: u64 = 10_000;
/// What is drawn at least, so that no stretch of time is invisible.
const THINNEST: u64 = 15;

pub(super) fn begin_waterfall(html: &mut Html) {
    html.raw(
        "<h3>Operations</h3>\n<div class=\"wide\"><table class=\"fall\"><thead><tr><th>#</th>\
         <th class=\"name\">operation</th><th class=\"text\">outcome</th><th>trips</th><th>wall</th>\
         <th>server</th><th>client</th><th>client inside</th><th class=\"text\">from start to end of the session</th>\
         </tr></thead><tbody>\n",
    );
}

/// A row of the waterfall.
pub(super) fn row(html: &mut Html, cx: &Cx<'_>, interaction: &Interaction) {
    let summary = &interaction.summary;
    html.raw("<tr>");
    html.cell("", &cx.analysis.capture.frames.seq(summary.root).to_string());
    html.cell("name", &name(cx, interaction));
    html.cell("text", outcome(interaction));
    html.cell("", &summary.round_trips.to_string());
    html.cell("", &fmt::short(summary.duration));
    html.cell("", &fmt::short(summary.server_time));
    html.cell("", &fmt::short(summary.client_turnaround));
    html.cell("", &inside(summary.client_wait_inside));
    html.raw("<td class=\"lane\"><svg viewBox=\"0 0 10000 14\" preserveAspectRatio=\"none\">");
    let session = cx.analysis.session(cx.session);
    let from = session.earliest;
    let scale = Scale { from, length: session.latest.since(from) };
    for segment in interaction.segments() {
        rect(html, cx, interaction, &segment, &scale);
    }
    html.raw("</svg></td></tr>\n");
}

/// A wait inside server time, which most operations have none of.
fn inside(length: Nanos) -> String {
    if length == Nanos::ZERO { "–".to_owned() } else { fmt::short(length) }
}

struct Scale {
    from: Instant,
    length: Nanos,
}

impl Scale {
    fn at(&self, at: Instant) -> u64 {
        let (after, whole) = (u128::from(at.since(self.from).0), u128::from(self.length.0.max(1)));
        u64::try_from(after * u128::from(LANE) / whole).unwrap_or(LANE).min(LANE)
    }
}

fn rect(html: &mut Html, cx: &Cx<'_>, interaction: &Interaction, segment: &Segment, scale: &Scale) {
    let (class, top, height) = match segment.owner {
        Owner::Server => ("s", 2, 10),
        // Told apart without colour, too.
        Owner::Client => ("c", 4, 6),
        Owner::Inside => ("i", 8, 4),
        Owner::Unanswered => ("u", 6, 2),
    };
    let x = scale.at(segment.from);
    let width = (scale.at(segment.to) - x).max(THINNEST);
    html.raw(&format!("<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"><title>"));
    html.text(&stretch(cx.analysis, interaction, segment));
    html.text(&format!(", {}", fmt::exact(segment.length())));
    html.raw("</title></rect>");
}

/// Hops and messages, folded.
pub(super) fn details(
    html: &mut Html,
    cx: &mut Cx<'_>,
    interaction: &Interaction,
) -> Result<(), ExportError> {
    let summary = &interaction.summary;
    html.raw("<details><summary>#");
    html.text(&cx.analysis.capture.frames.seq(summary.root).to_string());
    html.text(&format!(" {}: {}, ", name(cx, interaction), outcome(interaction)));
    html.text(&fmt::count(u64::from(summary.round_trips), "round trip"));
    html.text(&format!(", {}", fmt::short(summary.duration)));
    html.raw("</summary>\n");
    html.raw(
        "<div class=\"wide\"><table><thead><tr><th>hop</th><th class=\"text\">id</th><th>client before</th>\
         <th>server</th><th>client inside</th><th class=\"text\">answered</th><th class=\"text\">asked</th>\
         <th class=\"text\">linked by</th><th>result</th></tr></thead><tbody>\n",
    );
    for (number, hop) in (1..).zip(&interaction.hops) {
        hop_row(html, cx, number, hop);
    }
    html.raw("</tbody></table></div>\n");
    for (number, hop) in (1_u32..).zip(&interaction.hops) {
        message(html, cx, &format!("hop {number} request"), hop.request)?;
        if let Some(response) = hop.response {
            message(html, cx, &format!("hop {number} response"), response)?;
        }
    }
    html.raw("</details>\n");
    Ok(())
}

fn hop_row(html: &mut Html, cx: &Cx<'_>, number: u32, hop: &HopView) {
    let words = &cx.analysis.capture.frames.words;
    let answers = hop.answered.map_or(&[][..], |set| words.answers(set));
    let answers: Vec<String> = answers
        .iter()
        .map(|&(key, action)| match cx.action(action) {
            Some(action) => format!("{}: {action}", words.text(key)),
            None => words.text(key).to_owned(),
        })
        .collect();
    html.raw("<tr>");
    html.cell("", &number.to_string());
    html.cell("text", cx.analysis.opt_text(hop.id).unwrap_or("null"));
    html.cell("", &fmt::exact(hop.client_turnaround));
    html.cell("", &fmt::exact(hop.server_time));
    html.cell("", &inside(hop.client_wait_inside()));
    html.cell("text", &answers.join(", "));
    html.cell("text", &asked_methods(cx.analysis, hop).join(", "));
    html.cell("text", hop.linked_by.map_or("", |evidence| evidence.name()));
    html.cell("", &hop.result_bytes.map_or_else(|| "–".to_owned(), fmt::bytes));
    html.raw("</tr>\n");
}

fn message(
    html: &mut Html,
    cx: &mut Cx<'_>,
    what: &str,
    index: FrameIdx,
) -> Result<(), ExportError> {
    let frame = cx.analysis.capture.frames.get(index);
    let (Some(kind), Some(bytes)) = (frame.payload, cx.payload(index, &frame)?) else {
        return Ok(());
    };
    html.raw("<details><summary>");
    html.text(&format!(
        "{what}, #{}, {}",
        frame.seq.map_or(0, |seq| seq.0),
        frame.time.to_rfc3339()
    ));
    html.raw("</summary><pre>");
    html.text(&payload(kind, &bytes));
    html.raw("</pre></details>\n");
    Ok(())
}

fn name(cx: &Cx<'_>, interaction: &Interaction) -> String {
    let summary = &interaction.summary;
    operation(cx.analysis.text(summary.method), cx.analysis.opt_text(summary.name))
}

const fn outcome(interaction: &Interaction) -> &'static str {
    interaction.summary.outcome.name()
}
