//! A row of the waterfall: an operation, or a hop of the one above it.

use hopscope_core::fmt;
use hopscope_core::issue::Severity;
use hopscope_core::units::Nanos;
use hopscope_core::view::list::{HopRow, InteractionRow, Note, Row};

use super::markup::Markup;
use crate::protocol::Place;

/// The id of the row in the selected place, for the table to point at.
pub fn row_id(place: Place) -> String {
    let hop = place.hop.unwrap_or(0);
    format!("row-{}-{}-{hop}", place.operation.session.at(), place.operation.call.at())
}

/// Which row it is.
pub fn place_of(row: &Row) -> Place {
    match row {
        Row::Interaction(row) => Place { operation: row.operation, hop: None },
        Row::Hop(row) => Place { operation: row.operation, hop: Some(row.hop) },
    }
}

/// A row as markup, with an empty lane; `number` is its place in the whole table, from 1; `apart` where the names of
/// sessions stand beside rows.
pub fn draw(row: &Row, number: u64, apart: bool) -> Markup {
    let mut out = Markup::default();
    out.raw("<tr").attribute("id", &row_id(place_of(row))).raw(" aria-selected=\"false\"");
    out.raw(" aria-rowindex=\"").number(number + 1).raw("\"");
    match row {
        Row::Interaction(row) => interaction(&mut out, row, apart),
        Row::Hop(row) => hop(&mut out, row),
    }
    out.raw("</tr>");
    out
}

fn interaction(out: &mut Markup, row: &InteractionRow, apart: bool) {
    out.raw(" data-row=\"interaction\"").attribute("data-session", &row.session);
    out.raw(" data-root-seq=\"").number(row.root_seq).raw("\"");
    out.attribute("data-outcome", &row.outcome);
    if let Some(awaiting) = &row.awaiting {
        out.attribute("data-awaiting", awaiting);
    }
    let (open, twist) =
        if row.open { ("true", "Hide the hops\">▾") } else { ("false", "Show the hops\">▸") };
    out.raw(" aria-level=\"1\"").attribute("aria-expanded", open);
    out.raw("><td data-col=\"operation\"><div class=\"op\">");
    out.raw("<button class=\"twist\" tabindex=\"-1\" aria-label=\"").raw(twist).raw("</button>");
    out.raw("<b").attribute("title", &row.title).raw(">").text(&row.title).raw("</b>");
    if let Some(method) = &row.method {
        out.raw("<small>").text(method).raw("</small>");
    }
    if row.bad {
        out.raw("<span class=\"failed-mark\" role=\"img\"");
        out.attribute("aria-label", &row.outcome_words).attribute("title", &row.outcome_words);
        out.raw(">✕</span>");
    }
    if row.reverse {
        out.raw("<small class=\"tag\" title=\"The server asked this of the client\">from server</small>");
    }
    if apart {
        out.raw("<small class=\"tag\">").text(&row.session).raw("</small>");
    }
    notes(out, &row.notes);
    out.raw("</div></td><td data-col=\"outcome\"").raw(if row.bad { " class=\"bad\"" } else { "" });
    out.raw(">").text(&row.outcome_words).raw("</td>");
    out.raw("<td data-col=\"round-trips\" class=\"number\">").number(row.round_trips).raw("</td>");
    wall_time(out, row);
    let (wall, timed) = (row.wall, row.timed);
    time(out, "server", row.server, wall, timed);
    time(out, "client", row.client, wall, timed);
    time(out, "inside", row.inside, wall, timed);
    out.raw("<td data-col=\"lane\"><svg class=\"lane\" role=\"img\"></svg></td>");
}

/// What a cell says where no times were recorded.
const UNKNOWN: &str = "No times were recorded";

/// The cell with all of its time; of what was never answered at all, how long that was seen to be.
fn wall_time(out: &mut Markup, row: &InteractionRow) {
    let InteractionRow { wall, unanswered, timed, .. } = *row;
    let after = match unanswered {
        Nanos::ZERO => String::new(),
        _ => format!("unanswered for {}, which is in no total", fmt::exact(unanswered)),
    };
    let (shown, title) = match (timed, wall, unanswered) {
        (false, ..) => ("—".to_owned(), UNKNOWN.to_owned()),
        (_, Nanos::ZERO, Nanos::ZERO) => ("—".to_owned(), String::new()),
        (_, Nanos::ZERO, _) => (format!("≥{}", fmt::short(unanswered)), after),
        (_, _, Nanos::ZERO) => (fmt::short(wall), fmt::exact(wall)),
        _ => (fmt::short(wall), format!("{}, then {after}", fmt::exact(wall))),
    };
    let dim = if wall == Nanos::ZERO { " dim" } else { "" };
    cell(out, "wall", dim, wall, &shown, &title);
}

/// A cell with the time of one side.
fn time(out: &mut Markup, side: &'static str, length: Nanos, wall: Nanos, timed: bool) {
    let shown = if length == Nanos::ZERO { "—".to_owned() } else { fmt::short(length) };
    let share = hopscope_core::view::detail::percent(length, wall);
    let title = match (timed, share.is_empty()) {
        (false, _) => UNKNOWN.to_owned(),
        (true, true) => fmt::exact(length),
        (true, false) => format!("{}, {share} of its wall time", fmt::exact(length)),
    };
    cell(out, side, side, length, &shown, &title);
}

/// A cell with a time.
fn cell(
    out: &mut Markup,
    column: &'static str,
    class: &'static str,
    length: Nanos,
    shown: &str,
    title: &str,
) {
    out.raw("<td data-col=\"").raw(column).raw("\" class=\"number ").raw(class).raw("\"");
    out.attribute("title", title).raw(" data-value=\"").number(length.0).raw("\">");
    out.text(shown).raw("</td>");
}

/// The weightiest remark, and how many more there are.
fn notes(out: &mut Markup, notes: &[Note]) {
    let Some(first) = notes.first() else { return };
    let class = match first.severity {
        Severity::Loss => "note loss",
        Severity::Warning => "note warn",
        Severity::Note => "note",
    };
    out.raw("<span class=\"").raw(class).raw("\">").text(&first.text).raw("</span>");
    let more = notes.len() as u64 - 1;
    if more > 0 {
        let all = notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join(", ");
        out.raw("<span class=\"note more-notes\"").attribute("title", &all);
        out.raw(">+").number(more).raw("</span>");
    }
}

fn hop(out: &mut Markup, row: &HopRow) {
    let words = &row.words;
    let answered = words.answered.join(", ");
    let asked = if words.asked.is_empty() {
        words.ended.clone().unwrap_or_default()
    } else {
        format!("asked {}", words.asked.join(", "))
    };
    out.raw(" data-row=\"hop\" data-hop=\"").number(row.hop).raw("\" aria-level=\"2\">");
    out.raw("<td data-col=\"operation\"><span class=\"hop\">hop ").number(row.hop);
    out.raw("</span><small>id ").text(&words.id);
    out.raw(if answered.is_empty() { "" } else { " · " }).text(&answered).raw("</small></td>");
    out.raw("<td data-col=\"outcome\"></td><td data-col=\"round-trips\"></td>");
    out.raw("<td data-col=\"wall\"></td>");
    hop_time(out, "server", row.server, row.timed);
    hop_time(out, "client", row.client, row.timed);
    hop_time(out, "inside", row.inside, row.timed);
    out.raw("<td data-col=\"lane\"").raw(if row.bad { " class=\"bad\"" } else { "" }).raw(">");
    out.raw("<span class=\"asked\">").text(&asked).raw("</span>");
    if let Some(issue) = &words.state_issue {
        out.raw("<span class=\"note warn\">").text(issue).raw("</span>");
    }
    out.raw("<span class=\"evidence\">")
        .text(words.evidence.as_deref().unwrap_or_default())
        .raw("</span></td>");
}

fn hop_time(out: &mut Markup, side: &'static str, length: Nanos, timed: bool) {
    let none = !timed || side != "server" && length == Nanos::ZERO;
    let shown = if none { "—".to_owned() } else { fmt::short(length) };
    let title = if timed { fmt::exact(length) } else { UNKNOWN.to_owned() };
    cell(out, side, side, length, &shown, &title);
}
