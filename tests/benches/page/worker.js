// Loaded by the page's workers before their own program: notes how much memory that has, and marks in the browser's
// trace what it reads and answers.
const channel = new BroadcastChannel("hopscope-bench");
const mark = (what) => performance.mark(`hopscope ${what}`);

const memories = new Set();
for (const name of ["instantiate", "instantiateStreaming"]) {
  const plain = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await plain.apply(WebAssembly, given);
    const memory = (made.instance ?? made).exports.memory;
    if (memory) memories.add(memory);
    return made;
  };
}

// The places in `ToWorker` and `FromWorker`, in web/src/protocol.rs. The fields of the latter two are the generation,
// the number and, of a question, its place in `Asked`: plain rows, or any question as bytes, which are their length
// and a place in `Query`. Rows are the first of both.
const OPEN = 0;
const DONE = 3;
const ASK = 4;
const ANSWER = 5;

const numbers = (bytes) => {
  const read = [];
  for (let at = 1, value = 0, shift = 0; read.length < 5 && at < bytes.length; at++) {
    value |= (bytes[at] & 127) << shift;
    shift += 7;
    if (bytes[at] < 128) {
      read.push(value);
      value = shift = 0;
    }
  }
  return read;
};

const open = new Map();
addEventListener("message", (event) => {
  const bytes = event.data?.[0];
  if (bytes?.[0] === OPEN) mark("read<");
  if (bytes?.[0] !== ASK) return;
  const [, number, other, , query] = numbers(bytes);
  const kind = other ? query : 0;
  open.set(number, kind);
  mark(`ask ${kind} ${number}<`);
});
const post = self.postMessage;
self.postMessage = (message, ...rest) => {
  const bytes = message?.[0];
  if (bytes?.[0] === DONE) mark("read>");
  if (bytes?.[0] === ANSWER) {
    const [, number] = numbers(bytes);
    mark(`ask ${open.get(number)} ${number}>`);
    open.delete(number);
  }
  post.call(self, message, ...rest);
};

channel.onmessage = ({ data: what }) => {
  const bytes = [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  channel.postMessage({ what, bytes, open: open.size });
};
