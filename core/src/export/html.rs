//! HTML: one file without script or network, to be attached to an issue, read on a phone, printed.
//!
//! Totals, operations as a waterfall of inline SVG, their hops and messages folded below, tools and
//! issues. Everything from a capture is escaped and inert.

mod escape;
mod operations;
mod overview;

use escape::Html;

use super::driver::{Cx, Pass, Visitor};
use super::shared::label;
use super::{ExportError, GENERATOR, VERSION};
use crate::interaction::Interaction;

#[derive(Debug, Default)]
pub(super) struct Page {
    html: Html,
}

impl Visitor for Page {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Calls, Pass::Interactions]
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.html.take()
    }

    fn begin(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        let labels: Vec<&str> =
            cx.options.sessions.iter().take(3).map(|&it| label(cx.analysis, it)).collect();
        let html = &mut self.html;
        html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        // Whatever might slip through could still run nothing and reach nobody.
        html.raw(
            "<meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        );
        html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>");
        html.text(&labels.join(", "));
        html.raw(" – hopscope</title><style>\n");
        html.raw(include_str!("html/style.css"));
        html.raw("</style></head><body>\n<h1>MCP operations</h1>\n<p>");
        html.text(&format!(
            "Written by {GENERATOR} {VERSION}, {}. Times are UTC.",
            cx.options.generated_at.to_rfc3339()
        ));
        html.raw(
            "</p>\n<p class=\"key\"><span class=\"s\"><i></i>server</span>\
             <span class=\"c\"><i></i>client</span></p>\n",
        );
        Ok(())
    }

    fn begin_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        overview::session(&mut self.html, cx);
        Ok(())
    }

    fn begin_pass(&mut self, _cx: &mut Cx<'_>, pass: Pass) -> Result<(), ExportError> {
        match pass {
            Pass::Calls => operations::begin_waterfall(&mut self.html),
            _ => self.html.raw("<h3>Hops and messages</h3>\n"),
        }
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        match pass {
            Pass::Calls => operations::row(&mut self.html, cx, interaction),
            _ => operations::details(&mut self.html, cx, interaction)?,
        }
        Ok(())
    }

    fn end_pass(&mut self, _cx: &mut Cx<'_>, pass: Pass) -> Result<(), ExportError> {
        if pass == Pass::Calls {
            self.html.raw("</tbody></table></div>\n");
        }
        Ok(())
    }

    fn end_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        overview::tools(&mut self.html, cx);
        overview::issues(&mut self.html, cx);
        self.html.raw("</section>\n");
        Ok(())
    }

    fn end(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.html.raw("</body></html>\n");
        Ok(())
    }
}
