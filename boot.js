// Starts the page's wasm, and says so when it ends. A file of its own, because the page's policy
// refuses inline scripts.
const failed = (what, help) => {
  document.documentElement.dataset.state = "failed";
  const note = document.createElement("p");
  note.className = "ended";
  note.setAttribute("role", "alert");
  note.textContent = `${what}. ${help}`;
  document.body.append(note);
};

// After a trap the page would stand there and not answer. The console has the reason already.
const trapped = (error) => {
  if (error instanceof WebAssembly.RuntimeError && !document.querySelector("body > .ended")) {
    failed(`hopscope ended unexpectedly: ${error.message}`, "Please reload the page; the browser’s console has the details.");
  }
};
addEventListener("error", (event) => trapped(event.error));
addEventListener("unhandledrejection", (event) => trapped(event.reason));

try {
  const { default: init } = await import("./app/app.js");
  await init();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  failed(`hopscope could not start: ${reason}`, "Please reload; it needs a browser with WebAssembly and module workers.");
}
