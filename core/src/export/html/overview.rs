//! A session as a whole: its totals, its tools, and what is wrong with it.

use super::escape::Html;
use crate::export::driver::Cx;
use crate::export::shared::{incomplete, label};
use crate::fmt;
use crate::interaction::Percentiles;
use crate::interaction::words::issue_message;

pub(super) fn session(html: &mut Html, cx: &Cx<'_>) {
    let analysis = cx.analysis;
    let session = analysis.session(cx.session);
    let totals = analysis.totals(cx.session);
    html.raw("<section>\n<h2>");
    html.text(label(analysis, cx.session));
    html.raw("</h2>\n<p>session ");
    html.text(analysis.text(session.id));
    let first = session.earliest;
    html.text(&format!(
        ", {} to {}, {}",
        first.to_rfc3339(),
        session.latest.to_rfc3339(),
        fmt::short(session.latest.since(first))
    ));
    html.raw("</p>\n");
    if let Some(loss) = incomplete(analysis, cx.session) {
        html.raw("<p class=\"bad\">");
        html.text(&loss);
        html.raw("</p>\n");
    }
    html.raw("<ul class=\"totals\">");
    let number = |count: u64| count.to_string();
    for (name, value) in [
        ("operations", number(totals.interactions)),
        ("server time", fmt::short(totals.all.server_time)),
        ("client time", fmt::short(totals.all.client_turnaround)),
        ("requests", number(totals.counts.requests)),
        ("responses", number(totals.counts.responses)),
        ("notifications", number(totals.counts.notifications)),
        ("errors", number(totals.counts.errors)),
        ("pending", number(totals.pending)),
        ("late results", number(totals.counts.late_results)),
        ("missing frames", number(totals.counts.missing_frames)),
        ("refused retries", number(totals.refused_retries)),
    ] {
        html.raw("<li>");
        html.text(name);
        html.raw(" <b>");
        html.text(&value);
        html.raw("</b></li>");
    }
    html.raw("</ul>\n");
}

pub(super) fn tools(html: &mut Html, cx: &Cx<'_>) {
    let tools = cx.analysis.tools(cx.session);
    if tools.is_empty() {
        return;
    }
    html.raw("<h3>Tools</h3>\n<div class=\"wide\"><table><thead><tr><th class=\"name\">tool</th>");
    for head in [
        "calls",
        "errors",
        "pending",
        "trips",
        "most",
        "p50",
        "p95",
        "server p50",
        "server p95",
        "client p50",
        "client p95",
        "result bytes",
        "all hops",
    ] {
        html.raw("<th>");
        html.raw(head);
        html.raw("</th>");
    }
    html.raw("</tr></thead><tbody>\n");
    for tool in tools {
        html.raw("<tr>");
        html.cell("name", cx.analysis.opt_text(tool.name).unwrap_or("(unnamed)"));
        for count in [tool.calls, tool.errors, tool.pending, tool.round_trips] {
            html.cell("", &count.to_string());
        }
        html.cell("", &tool.max_round_trips.to_string());
        for values in [tool.wall, tool.server, tool.client] {
            let shown = |of: fn(&Percentiles) -> crate::units::Nanos| {
                values.as_ref().map_or_else(|| "–".to_owned(), |values| fmt::short(of(values)))
            };
            html.cell("", &shown(|values| values.p50));
            html.cell("", &shown(|values| values.p95));
        }
        html.cell("", &fmt::bytes(tool.result_bytes));
        html.cell("", &fmt::bytes(tool.total_result_bytes));
        html.raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
}

pub(super) fn issues(html: &mut Html, cx: &Cx<'_>) {
    let capture = cx.analysis.capture;
    let mut issues = cx.analysis.issues(cx.session).peekable();
    if capture.line_issues.is_empty() && issues.peek().is_none() {
        return;
    }
    html.raw(
        "<h3>Issues</h3>\n<div class=\"wide\"><table><thead><tr><th class=\"text\">where</th>\
         <th class=\"text\">severity</th><th class=\"text\">code</th><th class=\"text\">what</th>\
         </tr></thead><tbody>\n",
    );
    let mut row = |place: &str, severity: &str, code: &str, message: &str| {
        html.raw("<tr>");
        for text in [place, severity, code, message] {
            html.cell("text", text);
        }
        html.raw("</tr>\n");
    };
    for issue in &capture.line_issues {
        let place = format!("line {}, byte {}", issue.line, issue.at);
        let severity = issue.code.severity().name();
        row(&place, severity, issue.code.name(), &cx.line_issue_message(issue));
    }
    for issue in issues {
        let place = format!("#{}", capture.frames.seq(issue.frame));
        let severity = issue.code.severity().name();
        row(&place, severity, issue.code.name(), &issue_message(cx.analysis, &issue));
    }
    html.raw("</tbody></table></div>\n");
}
