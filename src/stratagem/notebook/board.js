// The board of a notebook: it draws what the kernel says, and reports what was clicked. It knows no rules.

function element(kind, more = {}, ...children) {
  const made = Object.assign(document.createElement(kind), more);
  made.append(...children);
  return made;
}

function render({ model, el }) {
  const place = element("div", { className: "st-board" });
  const status = element("p", { className: "st-status" });
  const trouble = element("p", { className: "st-trouble" });
  trouble.setAttribute("role", "alert");
  const offered = element("div", { className: "st-offered" });
  const typed = element("input", { type: "text", className: "st-typed" });
  const moves = element("ol", { className: "st-moves" });
  const thoughts = element("table", { className: "st-thoughts" });
  const slider = element("input", { type: "range", min: 0 });
  slider.setAttribute("aria-label", "ply");
  const button = (label, message) => element("button", { type: "button", textContent: label, onclick: () => model.send(message()) });
  const play = button("play it", () => ({ do: "play" }));
  const undo = button("take the part back", () => ({ do: "undo" }));
  const think = button("analyse", () => ({ do: model.get("thinking") ? "stop" : "analyse" }));
  const back = button("‹", () => ({ do: "look", ply: Math.max(0, model.get("ply") - 1) }));
  const forth = button("›", () => ({ do: "look", ply: Math.min(model.get("moves").length, model.get("ply") + 1) }));
  back.setAttribute("aria-label", "one move back");
  forth.setAttribute("aria-label", "one move on");

  place.addEventListener("click", (event) => {
    const part = event.target.closest("[data-part]");
    if (part) model.send({ do: "choose", text: part.dataset.part });
  });
  typed.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !typed.value.trim()) return;
    model.send({ do: "choose", text: typed.value });
    typed.value = "";
  });
  slider.addEventListener("change", () => model.send({ do: "look", ply: Number(slider.value) }));

  const draw = () => {
    place.innerHTML = model.get("svg"); // made by the kernel's own drawing code, which escapes all text
    status.textContent = model.get("status");
    trouble.textContent = model.get("trouble");
    const record = model.get("moves");
    moves.replaceChildren(
      ...record.map((text, k) => element("li", { className: k + 1 === model.get("ply") ? "st-here" : "" }, text)),
    );
    slider.max = record.length;
    slider.value = model.get("ply");
    const parts = model.get("parts");
    offered.replaceChildren(
      ...model.get("offered").map((text) => button(text, () => ({ do: "choose", text }))),
      ...(parts.length ? [element("span", {}, ` so far: ${parts.join("; ")} `), undo] : []),
      ...(model.get("complete") ? [play] : []),
    );
    typed.hidden = !model.get("asking");
    typed.placeholder = model.get("asking");
    typed.setAttribute("aria-label", model.get("asking"));
    think.textContent = model.get("thinking") ? "stop" : "analyse";
    const cell = (x) => (x === null || x === undefined ? "" : typeof x === "number" && !Number.isInteger(x) ? x.toFixed(3) : String(x));
    thoughts.replaceChildren(
      ...model.get("thoughts").map((line) =>
        element("tr", {}, ...["move", "value", "visits", "then"].map((name) => element("td", {}, cell(line[name])))),
      ),
    );
  };
  const names = ["svg", "status", "trouble", "moves", "ply", "parts", "offered", "asking", "complete", "thoughts", "thinking"];
  for (const name of names) model.on(`change:${name}`, draw);
  draw();
  const side = element("div", { className: "st-side" }, status, trouble, offered, typed, think, thoughts, moves);
  el.append(element("div", { className: "st-table" }, element("div", {}, place, back, slider, forth), side));
  return () => names.forEach((name) => model.off(`change:${name}`, draw)); // called when the cell's output goes
}

export default { render };
