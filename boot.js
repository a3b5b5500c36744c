// Starts the page's wasm. A file of its own, because the page's policy refuses inline scripts.
const failed = (reason) => {
  document.documentElement.dataset.state = "failed";
  const note = document.createElement("p");
  note.setAttribute("role", "alert");
  note.textContent = `hopscope could not start: ${reason}. Please reload; it needs a browser with WebAssembly and module workers.`;
  document.body.append(note);
};

try {
  const { default: init } = await import("./app.js");
  await init({ module_or_path: new URL("./app_bg.wasm", import.meta.url) });
} catch (error) {
  failed(error instanceof Error ? error.message : String(error));
}
