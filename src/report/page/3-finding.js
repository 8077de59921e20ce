/* One finding: what, why, how to fix it; its timeline, places, output and input. */

function labelled(list, name, value) {
	if (value !== null && value !== undefined && value !== "")
		list.push(h("dt", {}, name), h("dd", {}, value));
}

function headOf(f, words) {
	const facts = [];

	labelled(facts, "What", words.what);
	labelled(facts, "Why", words.why);
	labelled(facts, "Fix", f.fix && h("div", { class: "fix" }, f.fix));
	labelled(facts, "Field", f.field && h("code", {}, f.field));
	labelled(facts, "Library", f.library);
	labelled(facts, "Input", words.input);
	labelled(facts, "History", words.history);
	labelled(facts, "Seen", (f.count > 1 ? number(f.count) + " times" : "once") + (words.standing ? "; " + words.standing : ""));
	labelled(facts, "Patch", f.patch && copyable(f.patch));
	labelled(facts, "Replay", f.replay && copyable(f.replay));
	return h("section", { class: "card " + f.severity },
		h("p", { class: "chips" }, h("a", { class: "back", href: "#" }, "All findings"), h("span", { class: "chip tone" }, f.severity), h("span", { class: "chip" }, f.kind),
			f.confirmed ? h("span", { class: "chip yes" }, "confirmed") : h("span", { class: "chip" }, "not confirmed"),
			h("a", { class: "chip mono", href: "#" + f.id, title: "Link to this finding" }, f.id)),
		h("h1", { tabindex: "-1", id: "headline" }, f.message), h("dl", { class: "facts" }, facts));
}

function stackOf(site) {
	if (!site.stack || !site.stack.length)
		return null;
	return h("ol", { class: "stack", "aria-label": "Called from" }, site.stack.map((at) => h("li", {}, placeText(at))));
}

/* Sites in the order in which they are to be read; the same place is quoted once. */
function placesOf(f) {
	const seen = new Set();

	return section("Places", f.sites.map((site) => {
		const key = site.file + ":" + site.line, fresh = site.file && site.line && !seen.has(key);

		seen.add(key);
		return h("div", { class: "place" }, h("div", { class: "where" }, h("span", { class: "role" }, site.role), placeText(site) || "not known"),
			fresh && sourceView(site.file, new Set([site.line])), stackOf(site));
	}));
}

function bytesOf(value) {
	if (typeof value === "string")
		return new TextEncoder().encode(value);
	const hex = (value && value.hex) || "";

	return Uint8Array.from(hex.match(/../g) || [], (x) => parseInt(x, 16));
}

function hexDump(bytes) {
	const rows = [];

	for (let i = 0; i < Math.min(bytes.length, 4096); i += 16) {
		const part = [...bytes.slice(i, i + 16)];

		rows.push(i.toString(16).padStart(6, "0") + "  " + part.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(48) + " |" +
			part.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join("") + "|");
	}
	if (bytes.length > 4096)
		rows.push("… " + number(bytes.length - 4096) + " more bytes");
	return rows.join("\n");
}

function inputOf(f) {
	const settings = f.witness && RESULT.settings && RESULT.settings[f.witness.settings];
	const input = settings && settings.input;

	if (!input)
		return null;
	return section("Input", Object.entries(input).map(([name, value]) => {
		const bytes = bytesOf(value);

		return [h("h3", {}, name + ", " + number(bytes.length) + " bytes"), h("pre", { class: "out", tabindex: "0", "aria-label": name }, hexDump(bytes))];
	}));
}

function witnessOf(f) {
	const w = f.witness, rows = [];

	if (!w || !w.crashes || !w.crashes.length)
		return null;
	for (const crash of w.crashes) {
		rows.push(h("tr", {}, h("td", {}, "crash " + crash.point), h("td", {}, crash.before ? "before " + crash.before : ""), h("td", {}, placeText(crash))));
		for (const read of crash.reads || [])
			rows.push(h("tr", {}, h("td", {}, "read"), h("td", {}, (read.seen || "") + " (" + (read.value + 1) + " of " + read.of + ")"), h("td", {}, placeText(read))));
	}
	return section("Choices", h("details", {}, h("summary", {}, "Crashes, and reads that could see several values"),
		h("table", {}, h("tbody", {}, rows)), h("p", {}, h("code", {}, w.choices))));
}

function findingView(i) {
	const f = FINDINGS[i], words = DATA.words[i];
	const timeline = f.story && f.story.length ? new Timeline(f.story, words.story) : null;

	return h("article", { class: "page", "aria-labelledby": "headline" }, headOf(f, words), historyOf(f, words.diagram), timeline && timeline.element(),
		!timeline && f.explain && section("Story", h("pre", { class: "out" }, f.explain.join("\n"))), inputOf(f), placesOf(f),
		f.output && section("Output of the program", h("pre", { class: "out", tabindex: "0", "aria-label": "Output" }, f.output)), witnessOf(f));
}

/* Operations over time: a row each, from the call to the return; crashes across all of them; then the same as text. */
function historyOf(f, text) {
	const { history, history_crashes: crashes = [], history_earlier: earlier = 0 } = f.facts || {};

	if (!history)
		return null;
	const columns = 1 + Math.max(...history.map((op) => op.return), ...crashes.map((c) => c.at));
	const width = 34, row = 30, gutter = 76, words = 7.4 * Math.max(...history.map((op) => op.operation.length)) + 24;
	const size = gutter + columns * width + words, height = history.length * row + 26, scale = rem() / 16;
	const x = (n) => gutter + (n + 0.5) * width;
	const svg = s("svg", { width: size * scale, height: height * scale, viewBox: `0 0 ${size} ${height}`, role: "img", "aria-label": "Operations over time; the same as text follows" });

	history.forEach((op, k) => {
		const y = 24 + k * row;

		svg.append(s("line", { class: "lane", x1: gutter, x2: gutter + columns * width, y1: y + 11, y2: y + 11 }),
			s("text", { class: "dim", x: 8, y: y + 15 }, "thread " + op.thread),
			s("g", { class: "ev " + (op.unexplained || op.failed ? "missed" : "store") }, s("rect", { x: x(op.call), y, width: Math.max(10, x(op.return) - x(op.call)), height: 22, rx: 5 })),
			s("text", { class: op.unexplained || op.failed ? "wrong" : null, x: gutter + columns * width + 8, y: y + 15 }, op.operation));
	});
	for (const c of crashes)
		svg.append(s("line", { class: "crash", x1: x(c.at), x2: x(c.at), y1: 16, y2: height }), s("text", { class: "crash-label", x: x(c.at), y: 12, "text-anchor": "middle" }, "crash"));
	return section("Operations", earlier ? h("p", {}, number(earlier) + " earlier ones are not shown") : null,
		h("div", { class: "drawing" }, h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Operations" }, svg)),
		text && h("pre", { class: "out", tabindex: "0", "aria-label": "Operations as text" }, text));
}
