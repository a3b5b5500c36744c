// What the page's worker is measured against: reads a file in slices and parses each line.
const SLICE = 2 << 20;

onmessage = async ({ data: file }) => {
  performance.mark("hopscope parse<");
  const decoder = new TextDecoder();
  let rest = "";
  let sum = 0;
  const parse = (line) => { sum += JSON.parse(line).seq; };
  for (let at = 0; at < file.size; at += SLICE) {
    const bytes = await file.slice(at, at + SLICE).arrayBuffer();
    const text = rest + decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) parse(text.slice(from, end));
    rest = text.slice(from);
  }
  if (rest) parse(rest);
  performance.mark("hopscope parse>");
  postMessage(sum);
};

postMessage("ready");
