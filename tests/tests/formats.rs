//! The other formats: the conformance captures told in each of them give the same operations, and
//! each format's own fixtures give what their folders say.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hopscope_core::capture::gzip::Inflater;
use hopscope_core::capture::{Format, Formats, Lack, Recognition};
use hopscope_core::engine::Engine;
use hopscope_core::frame::{Direction, Kind};
use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::interaction::{Analysis, HopView, Interaction};
use hopscope_core::issue::Code;
use hopscope_tests::captures::{fixtures, read, read_together};
use hopscope_tests::rewrite::rewrite;

const OTHERS: &[Format] = &[
    Format::McpTape,
    Format::Inspector,
    Format::ClaudeLog,
    Format::McpsnoopExport,
    Format::JsonRpcLines,
];

/// A session's traffic with frames by their place in it, so that two recordings compare.
struct Told<'a> {
    analysis: Analysis<'a>,
    session: SessionIdx,
    frames: Vec<FrameIdx>,
    timed: bool,
}

impl<'a> Told<'a> {
    fn of(engine: &'a Engine, timed: bool) -> Self {
        let analysis = engine.analysis();
        let session = SessionIdx::of(0);
        let frames = analysis.capture.in_order(session).into_iter();
        let frames =
            frames.filter(|&at| analysis.capture.frames.get(at).kind != Kind::Meta).collect();
        Self { analysis, session, frames, timed }
    }

    /// Who sent what is paired.
    fn directions(&self) -> Vec<(Kind, Direction)> {
        let frames = self.frames.iter().map(|&at| self.analysis.capture.frames.get(at));
        let paired = |kind| matches!(kind, Kind::Request | Kind::Response | Kind::Other);
        frames.map(|it| (it.kind, it.direction)).filter(|&(kind, _)| paired(kind)).collect()
    }

    fn place(&self, frame: FrameIdx) -> usize {
        self.frames.iter().position(|&known| known == frame).unwrap_or(usize::MAX)
    }

    fn says(&self) -> Vec<String> {
        let calls = self.analysis.calls(self.session);
        let refused = calls.refused().iter();
        let refused = refused.map(|it| format!("{} at {}", it.reason.name(), self.place(it.frame)));
        // An export holds the first of repeated frames, and none of its repeats.
        let issues = self.analysis.issues(self.session);
        let issues =
            issues.filter(|it| !matches!(it.code, Code::RepeatedFrame | Code::ConflictingFrame));
        let issues = issues.map(|it| format!("{} at {}", it.code.name(), self.place(it.frame)));
        let interactions = self.analysis.interactions(self.session);
        let counts = format!("{:?}", calls.counts());
        std::iter::once(counts)
            .chain(refused)
            .chain(issues)
            .chain(interactions.flat_map(|it| self.interaction(&it)))
            .collect()
    }

    fn interaction(&self, it: &Interaction) -> Vec<String> {
        let summary = &it.summary;
        let times = [summary.duration, summary.server_time, summary.client_turnaround];
        let mut lines = vec![format!(
            "{} {:?} {:?} from {}: {:?}, task {:?}, skew {}, {:?}",
            self.analysis.text(summary.method),
            self.analysis.opt_text(summary.name),
            summary.direction,
            self.place(summary.root),
            summary.outcome,
            self.analysis.opt_text(it.task_id),
            summary.clock_skew && self.timed,
            self.timed.then_some(times),
        )];
        lines.extend(it.hops.iter().map(|hop| self.hop(hop)));
        lines
    }

    fn hop(&self, hop: &HopView) -> String {
        let words = &self.analysis.capture.frames.words;
        let asked = hop.asked.map_or(&[][..], |shape| words.requests(shape));
        let asked: Vec<_> = asked.iter().map(|&(key, _)| words.text(key)).collect();
        let answered = hop.answered.map_or(&[][..], |set| words.answers(set));
        let answered: Vec<_> = answered.iter().map(|&(key, _)| words.text(key)).collect();
        format!(
            "  {:?} {} → {:?}: {:?}, asked {asked:?}, answered {answered:?}, {:?} {:?}, {:?} bytes",
            self.analysis.opt_text(hop.id),
            self.place(hop.request),
            hop.response.map(|frame| self.place(frame)),
            self.timed.then_some([hop.server_time, hop.client_turnaround]),
            hop.linked_by,
            hop.state_issue,
            hop.result_bytes,
        )
    }
}

#[test]
fn the_same_traffic_in_every_format_gives_the_same_operations() {
    for &format in OTHERS {
        let (mut compared, mut guessed_wrong) = (0, 0);
        for fixture in fixtures("mcpsnoop/conformance") {
            for rewritten in rewrite(&fixture.bytes(), format) {
                let (told, reduced) = (read(&rewritten.told), read(&rewritten.reduced));
                let timed = format != Format::JsonRpcLines;
                let at = format!("{} as {}", fixture.name, format.name());
                let capture = told.analysis().capture;
                assert_eq!(capture.sources[0].format, Some(format), "{at}");
                assert_eq!(capture.line_issues, [], "{at}");
                assert_eq!(capture.sessions.len(), 1, "{at}");
                let (told, reduced) = (Told::of(&told, timed), Told::of(&reduced, timed));
                if told.directions() != reduced.directions() {
                    assert_eq!(format, Format::JsonRpcLines, "{at}");
                    guessed_wrong += 1;
                    continue;
                }
                let (told, reduced) = (told.says(), reduced.says());
                let different = told.iter().zip(&reduced).find(|(a, b)| a != b);
                assert_eq!(different, None, "{at}");
                assert_eq!(told.len(), reduced.len(), "{at}");
                compared += 1;
            }
        }
        assert!(
            compared > 60 && guessed_wrong < compared / 4,
            "{format:?}: {compared} compared, {guessed_wrong} guessed wrong"
        );
    }
}

/// Reads a file in gzip, in pieces.
fn read_packed(bytes: &[u8]) -> Engine {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    let (mut engine, mut inflater) = (Engine::new(), Inflater::default());
    engine.open("capture.gz");
    for piece in packed.finish().unwrap().chunks(100) {
        inflater.push(piece, |bytes| engine.push(bytes)).unwrap();
    }
    inflater.finish(|bytes| engine.push(bytes)).unwrap();
    engine.close();
    engine
}

#[test]
fn every_format_reads_in_gzip_as_it_does_plain() {
    for &format in OTHERS.iter().chain([&Format::Mcpsnoop]) {
        for fixture in fixtures("mcpsnoop/conformance") {
            for rewritten in rewrite(&fixture.bytes(), format) {
                let (plain, packed) = (read(&rewritten.told), read_packed(&rewritten.told));
                let (plain, packed) =
                    (Told::of(&plain, true).says(), Told::of(&packed, true).says());
                assert!(plain == packed, "{} as {} in gzip", fixture.name, format.name());
            }
        }
    }
}

#[test]
fn what_begins_as_mcpsnoops_reads_without_the_other_formats() {
    let mut alone = 0;
    for fixture in fixtures("mcpsnoop/conformance") {
        let bytes = fixture.bytes();
        if !Formats::is_mcpsnoop(&bytes) {
            continue;
        }
        let mut engine = Engine::new();
        engine.open_as("capture.jsonl", &Formats::MCPSNOOP);
        engine.push(&bytes);
        engine.close();
        assert_eq!(engine.analysis().capture.sources[0].format, Some(Format::Mcpsnoop));
        let of_any = read(&bytes);
        let (engine, of_any) = (Told::of(&engine, true).says(), Told::of(&of_any, true).says());
        assert!(engine == of_any, "{}", fixture.name);
        alone += 1;
    }
    assert!(alone > 0);
    assert!(!Formats::is_mcpsnoop(b"{\"jsonrpc\":\"2.0\"}"));
}

#[test]
fn a_rotated_recording_reads_as_if_it_were_one_file() {
    let names = ["run.jsonl.2", "run.jsonl.1", "run.jsonl"];
    for fixture in fixtures("mcpsnoop/conformance") {
        for rewritten in rewrite(&fixture.bytes(), Format::McpTape) {
            let lines: Vec<&[u8]> = rewritten.told.split_inclusive(|&byte| byte == b'\n').collect();
            let each = lines.len().div_ceil(3);
            let parts: Vec<Vec<u8>> = lines.chunks(each).map(<[_]>::concat).collect();
            let names = &names[3 - parts.len()..];
            let whole = read(&rewritten.told);
            let whole = Told::of(&whole, true).says();
            for reversed in [false, true] {
                let mut files: Vec<(&str, &[u8])> =
                    names.iter().copied().zip(parts.iter().map(Vec::as_slice)).collect();
                if reversed {
                    files.reverse();
                }
                let told = read_together(&files);
                assert_eq!(told.analysis().capture.sessions.len(), 1, "{}", fixture.name);
                let told = Told::of(&told, true).says();
                let different = told.iter().zip(&whole).find(|(a, b)| a != b);
                assert_eq!(different, None, "{} (reversed: {reversed})", fixture.name);
            }
        }
    }
}

#[test]
fn an_export_of_ours_reads_as_its_capture() {
    for fixture in fixtures("mcpsnoop/conformance") {
        let run = hopscope_tests::program::hopscope(["export".as_ref(), fixture.path.as_os_str()]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let (told, original) = (read(&run.out), read(&fixture.bytes()));
        let analysis = told.analysis();
        assert_eq!(analysis.capture.line_issues, [], "{}", fixture.name);
        if !original
            .analysis()
            .capture
            .frames
            .indices()
            .any(|at| original.analysis().capture.frames.get(at).connection.is_some())
        {
            let (told, original) = (Told::of(&told, true), Told::of(&original, true));
            let differ = told.says().into_iter().zip(original.says()).find(|(a, b)| a != b);
            assert_eq!(differ, None, "{}", fixture.name);
        }
    }
}

#[test]
fn what_a_format_does_not_keep_is_known() {
    let lacks = |bytes: &[u8]| read(bytes).analysis().capture.sources[0].lacks();
    let bytes = fixtures("mcpsnoop").remove(0).bytes();
    assert_eq!(lacks(&bytes), []);
    let of = |format| lacks(&rewrite(&bytes, format).remove(0).told);
    assert_eq!(of(Format::McpTape), [Lack::Numbers, Lack::FineTimes]);
    assert_eq!(of(Format::ClaudeLog), [Lack::Numbers, Lack::FineTimes]);
    assert_eq!(of(Format::JsonRpcLines), [Lack::Times, Lack::Directions, Lack::Numbers]);
    let unnumbered = String::from_utf8(bytes).unwrap().replace("\"seq\":", "\"no\":");
    assert_eq!(lacks(unnumbered.as_bytes()), [Lack::Numbers]);
}

#[test]
fn an_unknown_source_says_why_it_is_none_of_them() {
    let engine = read(b"{\"session\":\"a\",\"ts\":1}\n{\"t\":1}\n");
    let source = &engine.analysis().capture.sources[0];
    assert_eq!(source.recognition(), Recognition::Unknown);
    assert_eq!(source.format, None);
    let found: Vec<(Format, &str)> =
        source.refused.iter().map(|it| (it.format, it.found.as_str())).collect();
    assert_eq!(
        found,
        [
            (Format::Mcpsnoop, "it begins with an object that has no \"session_id\""),
            (Format::McpTape, "it begins with an object that has no \"v\" and no \"type\""),
            (Format::Inspector, "it begins with an object"),
            (Format::ClaudeLog, "it begins with an object"),
            (Format::McpsnoopExport, "it begins with an object that has no \"generated_at\""),
            (Format::JsonRpcLines, "it begins with an object that has no \"jsonrpc\""),
        ]
    );
}
