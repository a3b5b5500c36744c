//! The Tools tab: the per-tool table; a tool leads to its operations.

use hopscope_core::fmt;
use hopscope_core::units::Nanos;
use hopscope_core::view::filter;
use hopscope_core::view::tools::{Spread, ToolRow};
use leptos::prelude::*;

use crate::protocol::Question;
use crate::state::asked::asked;
use crate::state::{App, Tab};

/// The tab.
#[component]
pub fn Tools() -> impl IntoView {
    let app = App::here();
    let session = Memo::new(move |_| app.view.read().session);
    let answer = asked(app, move || Some(Question::tools(session.get())));
    let answer = Memo::new(move |_| answer.get());
    let shown = move || {
        match answer.get() {
        Some(Ok(tools)) if tools.is_empty() => {
            view! { <p class="nothing">"No tool was called in this capture."</p> }.into_any()
        }
        Some(Ok(tools)) => view! {
            <table class="plain tools-table">
                <thead>
                    <tr>
                        <th scope="col">"Tool"</th><th scope="col">"Calls"</th><th scope="col">"Errors"</th><th scope="col">"Pending"</th>
                        <th scope="col" title="Round trips: mean and most">"Trips"</th>
                        <th scope="col" class="server" title="Of all its calls, and its share of the time of all tools">"Server"</th>
                        <th scope="col" class="client" title="Of all its calls, and its share of the time of all tools">"Client"</th>
                        <th scope="colgroup" colspan="3" class="server">"Server p50 · p95 · p99"</th>
                        <th scope="col">"Spread of server times"</th>
                        <th scope="colgroup" colspan="3" class="client">"Client p50 · p95 · p99"</th>
                        <th scope="colgroup" colspan="3">"Wall p50 · p95 · p99"</th>
                        <th scope="col">"Results"</th><th scope="col">"Largest"</th>
                    </tr>
                </thead>
                <tbody>{tools.into_iter().map(|tool| row(app, tool)).collect_view()}</tbody>
            </table>
        }
        .into_any(),
        _ => ().into_any(),
    }
    };
    view! { <div class="page">{shown}</div> }
}

fn row(app: App, tool: ToolRow) -> impl IntoView {
    let token = filter::token("tool", &tool.name);
    let show = move |more: &'static str| {
        let filter = format!("{token}{more}");
        move |_| {
            app.view.update(|view| {
                view.filter.clone_from(&filter);
                view.tab = Tab::Waterfall;
            });
        }
    };
    // A number leads to the operations that it counts.
    let count = |number: u64, more: &'static str| {
        if number == 0 {
            return view! { {"0"} }.into_any();
        }
        view! { <button class="link" title="Show these operations" on:click=show(more)>{fmt::thousands(number)}</button> }.into_any()
    };
    let (errors, pending) =
        (count(tool.errors, " status:error"), count(tool.pending, " status:pending"));
    let hook = tool.name.clone();
    let session = tool.session.map(|session| view! { <small class="tag">{session}</small> });
    view! {
        <tr data-row="tool" data-name=hook>
            <th scope="row"><button class="link" title="Show its operations" on:click=show("")>{tool.name}</button>{session}</th>
            <td>{fmt::thousands(tool.calls)}</td>
            <td class:bad=tool.errors != 0>{errors}{share(tool.errors_share)}</td>
            <td class:warn=tool.pending != 0>{pending}</td>
            <td>{tool.mean_round_trips}" · "{tool.max_round_trips}</td>
            <td class="server" title=fmt::exact(tool.server_total)>{fmt::short(tool.server_total)}{share(tool.server_share)}</td>
            <td class="client" title=fmt::exact(tool.client_total)>{fmt::short(tool.client_total)}{share(tool.client_share)}</td>
            {three(tool.server, "server")}
            <td class="spread">{tool.spread.as_ref().map(spread)}</td>
            {three(tool.client, "client")}
            {three(tool.wall, "")}
            <td>{tool.result.0}</td>
            <td>{tool.result.1}</td>
        </tr>
    }
}

/// A share beside the number that it is of.
fn share(words: String) -> impl IntoView {
    (!words.is_empty()).then(|| view! { <small>{words}</small> })
}

fn three(percentiles: Option<[Nanos; 3]>, side: &'static str) -> impl IntoView {
    let one = |length: Option<Nanos>| {
        let title = length.map(fmt::exact);
        view! { <td class=side title=title>{length.map_or_else(|| "—".to_owned(), fmt::short)}</td> }
    };
    let [p50, p95, p99] = percentiles.map_or([None; 3], |of| of.map(Some));
    view! { {one(p50)}{one(p95)}{one(p99)} }
}

/// A column for each length of time, as high as its share.
fn spread(spread: &Spread) -> impl IntoView + use<> {
    let most = f64::from(spread.columns.iter().copied().max().unwrap_or(1).max(1));
    let columns =
        spread.columns.iter().zip(0..).filter(|(count, _)| **count > 0).map(|(count, at)| {
            let height = (f64::from(*count) / most * 18.0).max(2.0);
            view! { <rect x=f64::from(at) * 5.0 y=20.0 - height width="4" height=height></rect> }
        });
    view! { <svg role="img" aria-label=format!("server times from {}", spread.words) width="120" height="20"><title>{spread.words.clone()}</title>{columns.collect_view()}</svg> }
}
