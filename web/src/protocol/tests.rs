//! What page and worker say survives the way.

use hopscope_core::view::list::{Sort, SortKey, operation_at};
use hopscope_core::view::timeline::{Scale, Times, Window};

use super::*;

fn round_trip<T>(message: &T)
where
    T: Serialize + for<'de> Deserialize<'de> + PartialEq + core::fmt::Debug,
{
    let bytes = postcard::to_allocvec(message).unwrap();
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), message, "{bytes:?}");
}

#[test]
fn a_key_is_shown_nowhere() {
    let key = TypedKey { text: "secret".to_owned(), form: KeyForm::Text };
    let operation = operation_at(0, 0);
    let query = Query::Contents { operation, frame: FrameIdx::of(0), key: Some(key) };
    assert!(!format!("{query:?}").contains("secret"));
}

#[test]
fn messages_survive_the_way() {
    let operation = operation_at(0, 41);
    let list = ListQuery { session: None, sort: Sort::BY_TIME, filter: "rt:>2".to_owned() };
    let rows = RowsQuery {
        list: list.clone(),
        expanded: vec![operation],
        from: 10,
        count: 40,
        scale: Scale::FoldWaits,
        lane: 640.0,
        window: Window::ALL,
        times: Times::OfDay,
        budgets: Budgets::default(),
    };
    let step = Step {
        list: list.clone(),
        expanded: Vec::new(),
        selected: Some(Place { operation, hop: Some(2) }),
        by: -1,
    };
    let part = Window { from: 0.25, to: 0.5 };
    let measure = MeasureQuery { list: list.clone(), scale: Scale::Clock, part };
    for query in [
        Query::Measure(Box::new(measure)),
        Query::Rows(Box::new(rows)),
        Query::Step(Box::new(step)),
        Query::Detail(operation),
        Query::Problems { from: 0, count: 100 },
        Query::Overview { session: None, columns: 200 },
        Query::Budgets { session: None, budgets: Budgets::default() },
        Query::Tools(Some(SessionIdx::of(1))),
        Query::Questions { session: None, order: SortBy::Waited, descending: true, count: 10 },
        Query::FrameAt {
            frames: FramesQuery { session: None, filter: String::new() },
            frame: FrameIdx::of(7),
        },
        Query::Traffic(operation),
        Query::States(operation),
        Query::Contents {
            operation,
            frame: FrameIdx::of(7),
            key: Some(TypedKey { text: "k".to_owned(), form: KeyForm::Hex }),
        },
        Query::Record(operation),
        Query::Curl(FrameIdx::of(7)),
        Query::Envelope { frame: FrameIdx::of(7), most: 100 },
        Query::Frames {
            frames: FramesQuery { session: None, filter: String::new() },
            from: 5,
            count: 10,
        },
        Query::Body(FrameIdx::of(7)),
        Query::Members { frame: FrameIdx::of(7), start: 12, from: 100 },
        Query::Text { frame: FrameIdx::of(7), from: 0, most: 1000 },
    ] {
        round_trip(&query);
        let asked = Asked::of(query.clone()).unwrap();
        if let Asked::Other(packed) = &asked {
            assert_eq!(packed.read::<Query>().unwrap(), query);
        }
        round_trip(&ToWorker::Ask(Ask { generation: 3, number: 9, asked }));
    }
    round_trip(&ToWorker::Open {
        generation: 1,
        replace: true,
        inputs: vec![Input::Blob { name: "a.jsonl".to_owned() }],
    });
    round_trip(&ToWorker::Cancel);
    round_trip(&ToWorker::Search { generation: 1, number: 2, texts: vec!["é".to_owned()] });
    let stage = SearchStage::Failed("gone".to_owned());
    let searched = Searched { bytes: 1, of: 2, found: 3, stage, version: 4 };
    round_trip(&FromWorker::Searching { generation: 1, number: 2, searched });
    let order = Order {
        generation: 1,
        number: 2,
        product: Product::File(Format::Har),
        sessions: Some(vec![SessionIdx::of(0)]),
        generated_at: 1_785_240_000_000_000_000,
        rules: Rules { secrets: true, ..Rules::default() },
    };
    round_trip(&order);
    round_trip(&ToWorker::Make { number: 2, order: Packed::of(&order).unwrap() });
    round_trip(&FromWorker::Made {
        number: 2,
        result: Ok(Made::File { bytes: 7, spared: Vec::new() }),
    });
    round_trip(&FromWorker::Ready { build: BUILD.to_owned() });
    round_trip(&FromWorker::Answer {
        generation: 3,
        number: 9,
        reply: Err("no such frame".to_owned()),
    });
    let rows = Packed::of(&Rows::default()).unwrap();
    round_trip(&FromWorker::Answer { generation: 3, number: 9, reply: Ok(rows) });
}

#[test]
fn only_plain_rows_are_read_without_a_part() {
    let plain = RowsQuery {
        list: ListQuery { session: None, sort: Sort::BY_TIME, filter: String::new() },
        expanded: Vec::new(),
        from: 0,
        count: 40,
        scale: Scale::Clock,
        lane: 640.0,
        window: Window::ALL,
        times: Times::OfDay,
        budgets: Budgets::default(),
    };
    let mut filtered = plain.clone();
    filtered.list.filter = "rt:>2".to_owned();
    let mut by_name = plain.clone();
    by_name.list.sort.key = SortKey::Operation;
    let budgets = Budgets { wall: "1s".to_owned(), ..Budgets::default() };
    let marked = RowsQuery { budgets, ..plain.clone() };
    for (rows, is_plain) in [(plain, true), (filtered, false), (by_name, false), (marked, false)] {
        let asked = Asked::of(Query::Rows(Box::new(rows))).unwrap();
        assert_eq!(matches!(asked, Asked::Rows(_)), is_plain, "{asked:?}");
    }
}

/// Reads an answer as whoever asked does.
fn answered<T: serde::de::DeserializeOwned + PartialEq + core::fmt::Debug>(
    _: &Question<T>,
    reply: &Reply,
    expected: &T,
) {
    assert_eq!(&Question::<T>::read(&Packed::of(reply).unwrap()).unwrap(), expected);
}

#[test]
fn answers_are_read_by_who_asked() {
    let operation = operation_at(0, 41);
    let frame = FrameIdx::of(7);
    let frames = || FramesQuery { session: None, filter: String::new() };
    let list = ListQuery { session: None, sort: Sort::BY_TIME, filter: String::new() };
    let step = Step { list, expanded: Vec::new(), selected: None, by: 1 };
    let found = Some((4, Place { operation, hop: None }));
    answered(&Question::step(step), &Reply::Step(found), &found);
    answered(&Question::frame_at(frames(), frame), &Reply::FrameAt(Some(3)), &Some(3));
    let text = "{}".to_owned();
    answered(&Question::record(operation), &Reply::Text(text.clone()), &text);
    let body = Body { bytes: 2, sendable: true, tree: None, text };
    answered(&Question::body(frame), &Reply::Body(Box::new(body.clone())), &body);
    let none = Reply::Problems { total: 7, problems: Vec::new() };
    answered(&Question::problems(10), &none, &(7, Vec::new()));
    let none = Reply::Questions { total: 7, questions: Vec::new() };
    answered(&Question::questions(None, (SortBy::Waited, true), 10), &none, &(7, Vec::new()));
    let overview = Overview::default();
    answered(&Question::overview(None, 100), &Reply::Overview(overview.clone()), &overview);
    assert!(Question::<Body>::read(&Packed::of(&()).unwrap()).is_err());
}
