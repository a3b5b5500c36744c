// Loaded by the page's workers before their own program: notes how much memory that has, and how long it takes for
// each question.
const channel = new BroadcastChannel("hopscope-bench");

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

// The places of `Ask` in `ToWorker` and of `Answer` in `FromWorker`, in web/src/protocol.rs. Their fields are the
// generation, the number and, of a question, its kind.
const ASK = 4;
const ANSWER = 5;

const numbers = (bytes) => {
  const read = [];
  for (let at = 1, value = 0, shift = 0; read.length < 3 && at < bytes.length; at++) {
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
let asks = [];
addEventListener("message", (event) => {
  const bytes = event.data?.[0];
  if (bytes?.[0] !== ASK) return;
  const [, number, kind] = numbers(bytes);
  open.set(number, { kind, began: performance.now() });
});
const post = self.postMessage;
self.postMessage = (message, ...rest) => {
  const bytes = message?.[0];
  if (bytes?.[0] === ANSWER) {
    const [, number] = numbers(bytes);
    const { kind, began } = open.get(number) ?? {};
    open.delete(number);
    asks.push({ kind, took: performance.now() - began });
  }
  post.call(self, message, ...rest);
};

channel.onmessage = ({ data: what }) => {
  if (what === "memory") {
    const bytes = [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
    channel.postMessage({ what, bytes });
  } else if (what === "asks") {
    channel.postMessage({ what, asks, open: open.size });
    asks = [];
  }
};
