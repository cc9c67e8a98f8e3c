// The page: one item a screen, a key a label. Texts are only ever set as text.
const study = JSON.parse(document.getElementById("study").textContent);
const items = study.items;
const byId = (id) => document.getElementById(id);
const FOLDED = 1800; // characters from which a text is folded
const IDLE = 120; // seconds after which nobody is reading
const place = `inspect-reliability label ${study.fingerprint} ${study.rater}`;

/** What was said of each item: targets by part, unsure, skipped, note, seconds, after by part. */
const fresh = () => ({ targets: {}, unsure: false, skipped: false, note: "", seconds: 0, after: {} });
let said = items.map(fresh);
let at = 0; // the item that is shown
let closed = 0; // items of closed blocks: their labels stay
let phase = "label"; // "block": at the end of one; "end"; "after": differences with the judge
let differ = []; // numbers of the items in which the judge differs
let since = performance.now();

const answered = (i) => said[i].skipped || said[i].unsure
  || items[i].asks.every((ask) => said[i].targets[ask.part] !== undefined);
const reached = () => said.findLastIndex((_, i) => answered(i)) + 1;
const first = () => { const i = items.findIndex((_, n) => !answered(n)); return i < 0 ? items.length : i; };

// ---- What a file has -------------------------------------------------------------------------

const BLANK = "[\"' \\x0b\\x0c\\x1c-\\x1f\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*";
const SIGN = "[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]";
const NUMBER = "[+-]?\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?(?:[;|\\t\\r\\n]|$)";
const FIRST = `^(?=${BLANK}(?:${SIGN}|[\\t\\r]))`, LATER = `([;|\\t\\r\\n])(?=${BLANK}${SIGN})`;
const marked = (text) => text
  .replace(new RegExp(`${LATER}(?!${NUMBER})`, "g"), "$1'")
  .replace(new RegExp(`${FIRST}(?!${NUMBER})`), "'");
const unmarked = (text) => {
  const found = text.replace(new RegExp(`${LATER}'`, "g"), "$1");
  return new RegExp(`${FIRST}'`).test(text) ? found.slice(1) : found;
};

const target = (part, of = "target") => (part ? `${of}_${part}` : of);
const parts = [...new Set(items.flatMap((item) => item.asks.map((ask) => ask.part)))];

function records() {
  const seen = said.some((one) => Object.keys(one.after).length) || phase === "after";
  return said.slice(0, reached()).map((one, i) => ({
    id: items[i].id,
    ...(items[i].task_id === undefined ? {} : { task_id: items[i].task_id }),
    ...Object.fromEntries(parts.map((part) => [target(part), written(one.targets[part] ?? "")])),
    rater: study.rater,
    unsure: one.unsure ? "true" : "false",
    note: one.note,
    seconds: String(Math.round(one.seconds)),
    drawn: study.drawn,
    position: String(items[i].position),
    ...(seen ? Object.fromEntries(parts.map((part) => [target(part, "target_after"), written(one.after[part] ?? one.targets[part] ?? "")])) : {}),
  }));
}

function csv(rows) {
  const names = Object.keys(rows[0]);
  const cell = (text) => (/[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => line.map((text) => cell(marked(text))).join(study.separator) + "\n");
  return (study.mark ? "\ufeff" : "") + lines.join("");
}

// A grade with the decimal sign of the file that was judged.
const written = (label) => (/^-?\d+\.\d+$/.test(label) ? label.replace(".", study.decimal) : label);

function table(text) {
  const lines = [[""]], separator = text.split("\n", 1)[0].includes(";") ? ";" : ",";
  let quoted = false;
  for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length; i += 1) {
    const line = lines.at(-1), sign = text[i];
    if (quoted && sign === '"' && text[i + 1] === '"') { line[line.length - 1] += '"'; i += 1; }
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === separator) line.push("");
    else if (!quoted && sign === "\n") lines.push([""]);
    else if (quoted || sign !== "\r") line[line.length - 1] += sign;
  }
  const [names, ...rows] = lines.filter((line) => line.length > 1 || line[0]);
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [unmarked(name), unmarked(row[i] ?? "")])));
}

function save() {
  if (!reached()) { tell("Nothing is labelled yet."); return; }
  const url = URL.createObjectURL(new Blob([csv(records())], { type: "text/csv" }));
  const link = h("a", { href: url, download: study.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  tell("Saved to your downloads.");
}

function load(text) {
  const rows = table(text);
  const number = new Map(items.map((item, i) => [`${item.position} ${item.id}`, i]));
  const found = rows.map((row) => number.get(`${row.position} ${row.id}`));
  if (!rows.length || found.includes(undefined) || rows.some((row) => row.drawn !== study.drawn)) {
    tell("This file has labels of another page. Open the page that saved it.");
    return;
  }
  said = items.map(fresh);
  rows.forEach((row, n) => {
    const own = said[found[n]];
    for (const { part, labels } of items[found[n]].asks) {
      const meant = (of) => labels.find((label) => written(label) === row[target(part, of)]) ?? row[target(part, of)];
      if (meant()) own.targets[part] = meant();
      const later = meant("target_after");
      if (later && later !== meant()) own.after[part] = later;
    }
    own.unsure = row.unsure === "true";
    own.note = row.note ?? "";
    own.seconds = Number(row.seconds) || 0;
    own.skipped = !own.unsure && items[found[n]].asks.some(({ part }) => own.targets[part] === undefined);
  });
  closed = study.goal ? Math.floor(reached() / study.block) * study.block : 0;
  at = Math.min(first(), items.length - 1);
  phase = "label";
  if (rows.some((row) => parts.some((part) => target(part, "target_after") in row))) showDifferences();
  else if (first() === items.length || decided()) phase = "end";
  keep();
  show();
  tell(`${rows.length} labels are open. Go on.`);
}

function keep() {
  try {
    localStorage.setItem(place, JSON.stringify({ said, at, closed, phase }));
    byId("kept").textContent = "Kept in this browser. Save a file to use the labels.";
    byId("kept").className = "";
  } catch {
    byId("kept").textContent = "This browser keeps nothing: save a file before you close the page.";
    byId("kept").className = "warn";
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(place));
    if (!kept || kept.said.length !== items.length) return;
    ({ said, at, closed, phase } = kept);
    if (phase === "after") differ = differences();
  } catch { /* nothing was kept */ }
}

// ---- When the answer is known ----------------------------------------------------------------

/** What a label says of each judge, of each closed item; a label that nobody could give is wrong. */
function seen(i) {
  return items[i].seen.map(({ part, level, shares, right, labels }) => {
    const label = said[i].unsure || said[i].skipped ? undefined : said[i].targets[part];
    const number = labels.indexOf(label);
    return { level, wrong: !right[number], share: label === undefined ? null : shares[number] ?? 0 };
  });
}

function decided() {
  if (!study.goal || !closed) return false;
  if (study.whole && closed === items.length) return true; // errors are counted then
  return isDecided(study.goal, study.kept, Array.from({ length: closed }, (_, i) => seen(i)));
}

const differences = () => items.flatMap((item, i) => (item.verdicts.some((one) => said[i].targets[one.part] !== undefined && said[i].targets[one.part] !== one.verdict) ? [i] : []));

function showDifferences() {
  phase = "after";
  differ = differences();
  at = differ[0] ?? 0;
}

// ---- What is shown ---------------------------------------------------------------------------

function h(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}

const tell = (text) => { byId("told").textContent = text; };

/** A text as text, its fenced code apart, folded where it is long. */
function shown(text, name) {
  const whole = h("div", { class: "text" });
  text.split(/^```[^\n`]*\n?/m).forEach((part, n) => {
    if (n % 2) whole.append(h("pre", {}, part.replace(/\n$/, "")));
    else if (part) whole.append(part);
  });
  if (text.length <= FOLDED && text.split("\n").length <= 40) return [whole];
  whole.classList.add("folded");
  const more = h("button", { type: "button", class: "more", "aria-expanded": "false", "aria-label": `Show all of ${name}` },
    `Show all ${text.length.toLocaleString("en")} characters `, h("kbd", {}, "m"));
  more.addEventListener("click", () => {
    const folded = whole.classList.toggle("folded");
    more.setAttribute("aria-expanded", String(!folded));
    more.firstChild.textContent = folded ? `Show all ${text.length.toLocaleString("en")} characters ` : "Show less ";
  });
  return [whole, more];
}

const SIDES = ["Left", "Right"];
const sideName = (item, n) => (item.outputs.length === 2 ? SIDES[n] : `Response ${n + 1}`);
/** A label in words: the name of a side is its place on the screen. */
function inWords(item, label) {
  const side = item.sides ? item.outputs.findIndex((one) => one.name === label) : -1;
  return side < 0 ? label : sideName(item, side);
}

const SIGNS = [..."1234567890abcdefghijkloprtvwxyz"];
/** A key for each label: a digit has its own, the others the first that is free. */
function keysOf(item, labels) {
  const own = labels.map((label) => (inWords(item, label) === label && /^\d$/.test(label) ? label : undefined));
  const free = SIGNS.filter((sign) => !own.includes(sign));
  return own.map((sign) => sign ?? free.shift());
}
const inOrder = (item, labels) => (item.sides
  ? [...item.outputs.map((one) => one.name).filter((name) => labels.includes(name)), ...labels.filter((label) => !item.outputs.some((one) => one.name === label))]
  : labels);

const choices = (item, ask) => {
  const labels = inOrder(item, ask.labels);
  const keys = keysOf(item, labels);
  return labels.map((label, n) => ({ label, words: inWords(item, label), key: keys[n] }));
};
const typed = (ask) => ask.labels.length > SIGNS.length - 1;

/** The part that the next key is for: the first without a label. */
const open = () => {
  const own = current();
  const n = items[at].asks.findIndex((ask) => own[ask.part] === undefined);
  return n < 0 ? 0 : n;
};
const current = () => (phase === "after" ? { ...said[at].targets, ...said[at].after } : said[at].targets);
let active = 0;

function itemScreen() {
  const item = items[at], own = current(), fixed = phase === "label" && at < closed;
  const list = phase === "after" ? differ : items;
  const number = phase === "after" ? differ.indexOf(at) + 1 : at + 1;
  byId("place").textContent = phase === "after" ? `Difference ${number} of ${list.length}` : `Item ${number} of ${study.goal ? "at most " : ""}${list.length}`;
  byId("bar").max = list.length;
  byId("bar").value = phase === "after" ? number : reached();
  const screen = h("article", { "aria-labelledby": "what" });
  screen.append(h("h2", { id: "what", tabindex: "-1" }, "Question"));
  screen.append(h("div", { class: "question" }, ...shown(item.question, "the question")));
  const pair = item.outputs.length === 2;
  document.body.classList.toggle("wide", pair);
  const outputs = h("div", { class: pair ? "outputs pair" : "outputs" });
  item.outputs.forEach((one, n) => {
    const name = item.outputs.length === 1 ? "Output" : item.sides ? sideName(item, n) : one.name;
    outputs.append(h("section", {}, h("h2", {}, name), h("div", { class: "output" }, ...shown(one.text, name))));
  });
  screen.append(outputs);
  if (phase === "after") screen.append(judgesOf(item));
  item.asks.forEach((ask, n) => screen.append(askOf(item, ask, n, own[ask.part], fixed)));
  if (phase === "label") screen.append(othersOf(fixed));
  else screen.append(h("div", { class: "others" },
    h("button", { type: "button", onclick: () => move(-1) }, "Back ", h("kbd", {}, "←")),
    h("button", { type: "button", onclick: () => move(1) }, "Next ", h("kbd", {}, "→"))));
  byId("main").replaceChildren(screen);
}

function judgesOf(item) {
  const panel = h("section", { class: "judge", "aria-label": "The judge" });
  for (const one of item.verdicts.filter((one) => said[at].targets[one.part] !== one.verdict)) {
    const of = one.part ? `, ${one.part}` : "";
    panel.append(h("p", {}, `${one.judge}${of}: `, h("strong", {}, inWords(item, one.verdict)), ` (${one.votes}). You: `,
      h("strong", {}, inWords(item, said[at].targets[one.part] ?? "no label")), "."));
    if (one.why) panel.append(...shown(one.why, "the judge's reason"));
  }
  return panel;
}

function askOf(item, ask, n, given, fixed) {
  const group = h("fieldset", { class: n > active && item.asks.length > 1 ? "later" : "" },
    h("legend", {}, ask.part || "Which label fits?"));
  if (typed(ask)) {
    const field = h("input", { type: "text", "aria-label": ask.part || "Label", autocomplete: "off", disabled: fixed });
    field.value = given ?? "";
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const found = typedLabel(ask, field.value.trim());
      if (found === undefined) tell(`${field.value || "An empty label"} is no label here: ${ask.said}.`);
      else give(n, found);
    });
    group.append(field, h("p", { class: "note" }, `${ask.said}, then Enter`));
    return group;
  }
  const row = h("div", { class: "labels" });
  for (const { label, words, key } of choices(item, ask)) {
    row.append(h("button", { type: "button", disabled: fixed, "aria-pressed": String(given === label),
      "aria-keyshortcuts": n === active ? key : undefined, onclick: () => give(n, label) },
    ...(n === active ? [h("kbd", {}, key)] : []), h("span", { dir: "auto" }, words)));
  }
  group.append(row);
  return group;
}

function typedLabel(ask, text) {
  if (ask.labels.includes(text)) return text;
  const value = Number(text.replace(",", ".")), numbers = ask.labels.map(Number);
  const fits = text && numbers.every(Number.isFinite) && value >= Math.min(...numbers) && value <= Math.max(...numbers);
  return fits ? String(value) : undefined;
}

function othersOf(fixed) {
  const own = said[at];
  const note = h("textarea", { rows: "2", "aria-label": "Note", disabled: fixed });
  note.value = own.note;
  note.addEventListener("input", () => { own.note = note.value; keep(); });
  note.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); byId("what").focus(); } });
  const field = h("div", { id: "note", hidden: !own.note }, h("span", { class: "note" }, "Note (Escape goes back to the keys)"), note);
  const button = (words, key, onclick, pressed) => h("button", { type: "button", onclick, "aria-keyshortcuts": key,
    disabled: fixed && pressed !== undefined, "aria-pressed": pressed === undefined ? undefined : String(pressed) }, `${words} `, h("kbd", {}, SHOWN[key] ?? key));
  return h("div", {}, h("div", { class: "others" },
    button("Unsure", "u", unsure, own.unsure), button("Skip", "s", skip, own.skipped), button("Note", "n", write),
    button("Back", "ArrowLeft", () => move(-1)), button("Forward", "ArrowRight", () => move(1))),
  ...(fixed ? [h("p", { class: "note" }, "This block is closed: its labels stay.")] : []), field);
}
const SHOWN = { ArrowLeft: "←", ArrowRight: "→" };

function card(title, lines, buttons) {
  document.body.classList.remove("wide");
  byId("place").textContent = `${reached()} of ${study.goal ? "at most " : ""}${items.length}`;
  byId("bar").max = items.length;
  byId("bar").value = reached();
  const row = h("div", { class: "labels" }, ...buttons.map(([words, act], n) =>
    h("button", { type: "button", class: n ? "" : "main", onclick: act }, words)));
  byId("main").replaceChildren(h("section", { class: "end", "aria-labelledby": "what" },
    h("h1", { id: "what", tabindex: "-1" }, title), ...lines.map((line) => h("p", {}, line)), row));
  row.firstChild.focus();
}

/** What counts as right, where that is more than the label itself. */
const counts = () => (study.goal && study.near ? [study.near] : []);

function blockScreen() {
  card(`${reached()} are done`, ["Close this block to go on. Its labels are final then. The left arrow goes back to change one.", ...counts()],
    [["Close the block", closeBlock], ["Back", () => move(-1)]]);
}

function endScreen() {
  const known = said.filter((one, i) => answered(i) && !one.skipped && !one.unsure).length;
  const passed = reached() - known;
  const decision = decided();
  const lines = [`${known} labelled${passed ? `, ${passed} skipped or unsure` : ""}. Save the labels, and ask what they show:`, study.next, ...counts()];
  card(study.goal && decision ? "Decided" : "Finished", lines,
    [["Save the labels", save], ["See where the judge differs", () => { showDifferences(); keep(); show(); }],
      ...(first() < items.length && !decision ? [["Go on labelling", () => { phase = "label"; at = first(); keep(); show(); }]] : [])]);
  byId("main").querySelectorAll("p")[1].replaceChildren(h("code", {}, study.next), " in a terminal, or ", h("code", {}, study.call), " in Python");
  byId("main").querySelector(".labels").before(h("p", { class: "note" }, "You see the judge's verdicts only now. After that no item can be labelled, and what you change is kept apart."));
}

function afterScreen() {
  if (differ.length) { itemScreen(); return; }
  card("No difference", ["The judge said what you said."], [["Save the labels", save]]);
}

function show() {
  since = performance.now();
  tell("");
  if (phase === "label") active = open();
  if (phase === "after") active = Math.min(active, items[at].asks.length - 1);
  ({ label: itemScreen, block: blockScreen, end: endScreen, after: afterScreen })[phase]();
  byId("end").hidden = phase !== "label" || !reached();
  if (phase === "label" || (phase === "after" && differ.length)) {
    const field = byId("main").querySelector("fieldset:not(.later) input");
    (field ?? byId("what")).focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

// ---- What keys do ----------------------------------------------------------------------------

function spend() {
  said[at].seconds += Math.min((performance.now() - since) / 1000, IDLE);
  since = performance.now();
}

function give(n, label) {
  if (phase === "label" && at < closed) return;
  const { part } = items[at].asks[n];
  if (phase === "after") {
    if (label === said[at].targets[part]) delete said[at].after[part];
    else said[at].after[part] = label;
  } else {
    said[at].targets[part] = label;
    said[at].unsure = said[at].skipped = false;
  }
  if (n + 1 < items[at].asks.length) {
    active = n + 1;
    keep();
    itemScreen();
    const field = byId("main").querySelectorAll("fieldset")[active].querySelector("input");
    (field ?? byId("what")).focus({ preventScroll: true });
    return;
  }
  active = 0;
  move(1);
}

function passOver(unsureOne) {
  if (at < closed) return;
  Object.assign(said[at], { targets: {}, unsure: unsureOne, skipped: !unsureOne });
  move(1);
}
const unsure = () => passOver(true);
const skip = () => passOver(false);

function write() {
  byId("note").hidden = false;
  byId("note").querySelector("textarea").focus();
}

/** Go to another item: none is passed over without a key, so that labels count as drawn. */
function move(step) {
  if (phase === "after") {
    const next = differ.indexOf(at) + step;
    if (next >= differ.length) { keep(); tell("This was the last difference. Save the labels."); return; }
    at = differ[Math.max(next, 0)];
    keep();
    show();
    return;
  }
  if (phase === "label") spend();
  if (phase === "end") return;
  if (phase === "block") { phase = "label"; at = reached() - (step < 0 ? 1 : 0); }
  else if (step < 0) at = Math.max(at - 1, 0);
  else if (!answered(at)) { tell("Give a label, or press u or s."); return; }
  else at += 1;
  const full = study.goal && at >= closed + study.block;
  if (at >= items.length && !study.goal) { at = items.length - 1; phase = "end"; }
  else if (step > 0 && (full || at >= items.length)) { at = Math.min(at, items.length) - 1; phase = "block"; }
  keep();
  show();
}

function closeBlock() {
  closed = reached();
  phase = decided() || closed === items.length ? "end" : "label";
  at = Math.min(closed, items.length - 1);
  keep();
  show();
  tell(decided() ? "Decided." : phase === "label" ? "Not decided yet. Go on." : "");
}

function finish() {
  if (!reached()) return;
  spend();
  phase = "end";
  keep();
  show();
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") { event.preventDefault(); save(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, input")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (phase === "block" && key === "ArrowLeft") { move(-1); return; }
  if (phase !== "label" && phase !== "after") return;
  if (phase === "after" && !differ.length) return;
  const ask = items[at].asks[active];
  const found = typed(ask) ? undefined : choices(items[at], ask).find((one) => one.key === key);
  const act = found ? () => give(active, found.label)
    : { ArrowLeft: () => move(-1), ArrowRight: () => move(1), m: unfold,
      ...(phase === "label" ? { u: unsure, s: skip, n: at < closed ? undefined : write } : {}) }[key];
  if (!act || event.repeat) return;
  event.preventDefault();
  act();
});

function unfold() {
  const folds = [...byId("main").querySelectorAll("button.more")];
  (folds.find((one) => one.getAttribute("aria-expanded") === "false") ?? folds[0])?.click();
}

document.addEventListener("visibilitychange", () => {
  if (phase !== "label") return;
  if (document.hidden) spend();
  since = performance.now();
});
byId("save").addEventListener("click", save);
byId("end").addEventListener("click", finish);
byId("open").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) load(await file.text());
  event.target.value = "";
});
restore();
show();
keep();
