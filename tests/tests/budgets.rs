//! The command that the Budgets tab shows has the tab's verdict, on every fixture.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::view::budgets::{Budgets, judge};
use hopscope_tests::captures::{all_fixtures, read};
use hopscope_tests::program::hopscope;

fn budgets(wall: &str, server: &str, client: &str, trips: &str) -> Budgets {
    let [wall, server, client, trips] = [wall, server, client, trips].map(str::to_owned);
    Budgets { wall, server, client, trips }
}

#[test]
fn the_command_says_what_the_page_says() {
    let all = [
        budgets("5s", "", "", ""),
        budgets("", "100ms", "1s", "2"),
        budgets("0", "0", "0", "0"),
        budgets("100h", "100h", "100h", "1000"),
    ];
    let (mut passed, mut failed) = (0, 0);
    for fixture in all_fixtures() {
        let engine = read(&fixture.bytes());
        let analysis = engine.analysis();
        let several = analysis.sessions().len() > 1;
        let each = analysis.sessions().filter(|_| several).take(2).map(Some);
        let cases: Vec<_> = [None].into_iter().chain(each).collect();
        for (budgets, session) in all.iter().flat_map(|it| cases.iter().map(move |of| (it, *of))) {
            let verdict = judge(analysis, session, budgets);
            let words = verdict.command.replace("CAPTURE", fixture.path.to_str().unwrap());
            let mut words = words.split(' ').map(|word| word.trim_matches('\''));
            assert_eq!(words.next(), Some("hopscope"));
            let run = hopscope(words);
            let fine = verdict.failures.is_empty();
            assert_eq!(
                run.code,
                Some(i32::from(!fine)),
                "{}: {} says {}",
                fixture.name,
                verdict.command,
                run.text()
            );
            for failure in &verdict.failures {
                // Where there are several sessions the page names them.
                let sentence = failure.split_once(": ").map_or(failure.as_str(), |(_, rest)| rest);
                let said = run.text().contains(failure.as_str()) || run.text().contains(sentence);
                assert!(said, "{}: {failure:?} is not in {}", fixture.name, run.text());
            }
            *if fine { &mut passed } else { &mut failed } += 1;
        }
    }
    assert!(passed > 50 && failed > 50, "{passed} {failed}");
}
