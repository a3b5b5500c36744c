//! core as a bare WebAssembly module, for `wasm.mjs` to measure in Node: no page and no bindings.
#![expect(unsafe_code, reason = "what a module exports must keep its name")]

use core::cell::RefCell;

use hopscope_core::engine::Engine;
use hopscope_core::view::filter::Found;
use hopscope_core::view::list::{List, ListQuery, Sort, SortKey};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
    static LIST: RefCell<List> = RefCell::default();
}

/// Where to put the bytes that are pushed next.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(len: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(len, 0);
        buffer.as_mut_ptr()
    })
}

/// Begins a capture.
#[unsafe(no_mangle)]
pub extern "C" fn open() {
    ENGINE.with_borrow_mut(|engine| {
        *engine = Engine::new();
        engine.open("bench");
    });
}

/// Takes the first bytes of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn push(len: usize) {
    BUFFER.with_borrow(|buffer| {
        ENGINE.with_borrow_mut(|engine| engine.push(buffer.get(..len).unwrap_or_default()));
    });
}

/// Ends the capture, and adds it up; the number of its frames.
#[unsafe(no_mangle)]
pub extern "C" fn close() -> usize {
    ENGINE.with_borrow_mut(|engine| {
        engine.close();
        let analysis = engine.analysis();
        for session in analysis.sessions() {
            core::hint::black_box(analysis.sums(session));
        }
        analysis.capture.frames.len()
    })
}

/// Sorts all operations as they were recorded, and then by their length in place of that, as a click on a head does;
/// the number of operations.
#[unsafe(no_mangle)]
pub extern "C" fn sort() -> usize {
    ENGINE.with_borrow(|engine| {
        LIST.with_borrow_mut(|list| {
            for sort in [Sort::BY_TIME, Sort { key: SortKey::Wall, descending: true }] {
                let query = ListQuery { session: None, sort, filter: String::new() };
                *list = List::new(engine.analysis(), &query, &Found::default(), None);
            }
            list.len()
        })
    })
}

/// What [`filter`] finds: of a name, of numbers, of several, and of nothing.
const FILTERS: [&str; 4] = ["tool_7", "rt:>1", "server:>25ms status:ok", "no such words"];

/// Filters all operations by one of [`FILTERS`], as the page does that has sorted them; how many are left.
#[unsafe(no_mangle)]
pub extern "C" fn filter(which: usize) -> usize {
    ENGINE.with_borrow(|engine| {
        let filter = FILTERS.get(which).copied().unwrap_or_default().to_owned();
        let query = ListQuery { session: None, sort: Sort::BY_TIME, filter };
        LIST.with_borrow(|list| {
            List::new(engine.analysis(), &query, &Found::default(), Some(list.clock())).len()
        })
    })
}
