/*
 * The story of a failed recovery, drawn: threads as lanes, the cache lines that recovery could see several versions of as rows, the
 * crash as a line across all of them, then what recovery read, with an arc to the version that it took.
 *
 * A step of the story (docs/report-format.md, "Story") is a column; time has no scale. Steps that do not matter are folded: reads of
 * recovery that had no choice, and what the story leaves out.
 */
const TIMELINE = { column: 92, least: 52, most: 190, lane: 46, box: 34, left: 6, head: 28, arcs: 34, track: 30, durable: 18, line: 76 };

const KIND_OF_EVENT = {
	store: "store", ntstore: "store", rmw: "store", load: "read", rmw_failed: "read",
	clflush: "flush", clflushopt: "flush", clwb: "flush", msync: "flush", sfence: "fence", mfence: "fence", atomic_rmw: "fence",
};

function kindOf(step) {
	return KIND_OF_EVENT[(step.event || "").replace(/-/g, "_")] || "other";
}

/* Steps as they are listed, to lines with their events, crashes, and what recovery did. */
function readStory(steps) {
	const story = { lines: [], loose: [], crash: null, recovery: [], end: null };
	let line = null, late = false, recovering = false;

	steps.forEach((step, i) => {
		const item = { step, i, late, exec: step.execution || 0, time: step.time || 0, thread: step.thread || 0 };

		if (step.step === "line") {
			line = { step, i, events: [], exec: item.exec };
			late = false;
			story.lines.push(line);
		} else if (step.step === "last") {
			line = null;
			late = false;
		} else if (step.step === "late") {
			late = true;
		} else if (step.step === "crash") {
			story.crash = item;
		} else if (step.step === "recovery") {
			recovering = true;
			late = false;
		} else if (step.step === "end") {
			story.end = item;
		} else if (recovering && (step.step === "read" || step.step === "event")) {
			story.recovery.push(item);
		} else if (step.step === "event") {
			(line ? line.events : story.loose).push(item);
		}
	});
	return story;
}

/* Events of all lines in the order in which they happened, each once; steps that say the same of other lines are `also`. */
function inOrder(story) {
	const all = new Map();

	for (const item of [...story.lines.flatMap((l) => l.events), ...story.loose]) {
		const key = item.late + "/" + item.exec + "/" + item.time;

		if (all.has(key))
			all.get(key).also.push(item.i);
		else
			all.set(key, { ...item, also: [] });
	}
	return [...all.values()].sort((a, b) => a.late - b.late || a.exec - b.exec || a.time - b.time);
}

/* Columns: {item} an event, {fold: [items]} some that are not drawn, {gap: n} some that the story does not have, {crash}. */
function columnsOf(story, unfolded) {
	const columns = [{ start: true }];
	let before = null;

	for (const item of inOrder(story).filter((e) => !e.late)) {
		if (before && before.exec !== item.exec)
			columns.push({ crash: "crash " + item.exec });
		else if (before && item.time > before.time + 1)
			columns.push({ gap: item.time - before.time - 1 });
		columns.push({ item });
		before = item;
	}
	columns.push({ crash: "crash", item: story.crash, last: true });
	for (const item of inOrder(story).filter((e) => e.late))
		columns.push({ item });
	columns.push({ recovery: true });
	let plain = [];
	const flush = () => {
		if (plain.length > 2 && !unfolded)
			columns.push({ fold: plain });
		else
			columns.push(...plain.map((item) => ({ item, recovering: true })));
		plain = [];
	};
	for (const item of story.recovery) {
		if (!item.step.of) {
			plain.push(item);
			continue;
		}
		flush();
		columns.push({ item, recovering: true });
	}
	flush();
	if (story.end)
		columns.push({ item: story.end, recovering: true, end: true });
	return columns;
}

/* Versions of a line: 0 is what was there before; each store makes one. `durable` says from which event on which is certain. */
function versionsOf(line) {
	const stores = line.events.filter((e) => !e.late && kindOf(e.step) === "store");
	const versions = [{ n: 0, item: null }, ...stores.map((item, k) => ({ n: k + 1, item }))];
	const durable = [{ n: 0, from: null }];
	let certain = 0;

	for (const e of line.events.filter((x) => !x.late)) {
		const n = stores.filter((x) => (x.step.after || 0) <= (e.step.durable || 0)).length;

		if (n > certain)
			durable.push({ n, from: e });
		certain = Math.max(certain, n);
	}
	return { versions, durable, certain };
}

function sameLine(line, address) {
	const size = line.step.page ? 4096 : 64;

	return address && line.step.address.file === address.file && Math.floor(line.step.address.offset / size) === Math.floor(address.offset / size);
}

/* Which version of the line a read that had a choice took: by the place of the store in its log; 0: what was certain. */
function tookVersion(line, read) {
	const { took = 0, took_execution = 0 } = read.step;

	if (!took || took_execution !== line.exec)
		return line.certain;
	const found = line.versions.find((v) => v.item && (v.item.step.before || 0) < took && took <= (v.item.step.after || 0));

	return found ? found.n : null;
}

/*
 * The newest version of the line that such a read leaves possible: that before the first store, after the one that it took, to the bytes
 * that it read. A store of the same value changes nothing for it.
 */
function leftVersion(line, read) {
	const n = tookVersion(line, read), { address, size, value } = read.step;

	if (n === null)
		return null;
	const next = line.versions.find((v) => {
		const at = v.n > n && v.item.step.address;

		return at && at.offset < address.offset + size && address.offset < at.offset + v.item.step.size &&
			!(at.offset === address.offset && v.item.step.size === size && v.item.step.value === value);
	});

	return next ? next.n - 1 : line.versions.length - 1;
}

class Timeline {
	constructor(steps, texts) {
		this.steps = steps;
		this.texts = texts;
		this.story = readStory(steps);
		this.story.lines.forEach((line) => Object.assign(line, versionsOf(line)));
		this.width = TIMELINE.column;
		this.unfolded = false;
		this.scroll = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Timeline; the same as text is below" });
		this.gutter = h("div", { class: "gutter", "aria-hidden": "true" });
		this.now = h("div", { class: "now", "aria-live": "polite" }, "Point at a step, or move through them with the arrow keys.");
		this.text = this.describe();
		this.fold = h("button", { type: "button", "aria-pressed": "false" }, "All reads");
		this.scroll.addEventListener("keydown", (e) => this.key(e));
		this.draw();
		requestAnimationFrame(() => this.fit(TIMELINE.column));
	}

	unfold(all) {
		this.unfolded = all;
		this.fold.setAttribute("aria-pressed", all);
		this.draw();
	}

	/* As wide as there is room for, but readable. */
	fit(most) {
		if (!this.scroll.clientWidth)
			return;
		this.width = Math.min(most, Math.max(TIMELINE.least + 16, this.fitting()));
		this.draw();
		this.scroll.scrollLeft = this.columns.find((c) => c.last).x * this.scale() - 0.6 * this.scroll.clientWidth;
	}

	element() {
		const zoom = (by) => () => {
			this.width = Math.min(TIMELINE.most, Math.max(TIMELINE.least, by ? this.width * by : this.fitting()));
			this.draw();
		};
		this.fold.addEventListener("click", () => this.unfold(!this.unfolded));
		const key = (name, text) => h("span", {}, h("i", { class: "k-" + name }), text);

		return section("Timeline",
			h("div", { class: "bar" },
				h("div", { class: "legend" }, key("cache", "in the cache"), key("durable", "durable for certain"), key("lost", "lost"), key("crash", "crash")),
				h("div", { class: "zoom" }, this.fold, h("button", { type: "button", "aria-label": "Zoom out", onclick: zoom(1 / 1.25) }, "−"),
					h("button", { type: "button", onclick: zoom(0) }, "Fit"), h("button", { type: "button", "aria-label": "Zoom in", onclick: zoom(1.25) }, "+"))),
			h("div", { class: "drawing" }, this.gutter, this.scroll), this.now, h("details", { class: "as-text", open: true }, h("summary", {}, "The same as text"), this.text));
	}

	fitting() {
		return (this.scroll.clientWidth / this.scale() - 2 * TIMELINE.left - 2) / Math.max(1, this.units);
	}

	/* The drawing is as large as the text around it. */
	scale() {
		return rem() / 16;
	}

	/* How many reads after step i are of the same place and sure of their value. */
	alike(i) {
		const sure = (s) => s && s.step === "read" && !s.of && s.at;
		let n = 0;

		while (sure(this.steps[i]) && sure(this.steps[i + n + 1]) && placeText(this.steps[i].at) === placeText(this.steps[i + n + 1].at))
			n++;
		return n;
	}

	describe() {
		const items = [];

		for (let i = 0; i < this.steps.length; i++) {
			const n = this.alike(i);

			items.push(this.describeStep(i));
			if (n < 4)
				continue;
			items.push(h("li", { class: "in" }, h("details", {}, h("summary", {}, number(n) + " more reads there"),
				h("ol", { class: "steps" }, Array.from({ length: n }, (_, k) => this.describeStep(i + k + 1))))));
			i += n;
		}
		return h("ol", { class: "steps" }, items);
	}

	describeStep(i) {
		const step = this.steps[i], inside = ["event", "read", "left-out", "late", "times"].includes(step.step);
		const what = step.step === "crash" ? "crash" : inside ? "in" : "head";

		return h("li", { class: what, id: "step-" + i }, this.texts[i].trim());
	}

	/* ---- where things are ---- */

	place() {
		const threads = [...new Set(this.columns.filter((c) => c.item && !c.recovering && !c.crash).map((c) => c.item.thread))].sort((a, b) => a - b);
		const readers = [...new Set(this.story.recovery.map((e) => e.thread))].sort((a, b) => a - b);

		this.lanes = [...threads.map((t) => ({ thread: t, recovering: false, name: "thread " + t })),
			...readers.map((t) => ({ thread: t, recovering: true, name: readers.length > 1 ? "recovery, thread " + t : "recovery" }))];
		if (!readers.length)
			this.lanes.push({ thread: 0, recovering: true, name: "recovery" });
		let x = TIMELINE.left, units = 0;

		for (const c of this.columns) {
			const part = c.start ? 0.75 : c.crash ? 0.45 : c.recovery ? 0.25 : c.gap ? 0.5 : 1;

			c.x = x + (part * this.width) / 2;
			c.w = part * this.width;
			x += c.w;
			units += part;
		}
		this.units = units;
		this.size = x + TIMELINE.left;
		this.lineTop = TIMELINE.head + this.lanes.length * TIMELINE.lane + TIMELINE.arcs;
		this.height = this.lineTop + this.story.lines.length * TIMELINE.line;
	}

	laneY(item, recovering) {
		const k = this.lanes.findIndex((l) => l.thread === (item.thread || 0) && l.recovering === !!recovering);

		return TIMELINE.head + Math.max(0, k < 0 ? this.lanes.findIndex((l) => l.recovering === !!recovering) : k) * TIMELINE.lane;
	}

	columnOf(item) {
		return this.columns.find((c) => c.item && c.item.exec === item.exec && c.item.time === item.time && !c.item.late === !item.late && !c.recovering && !c.crash);
	}

	/* ---- drawing ---- */

	draw() {
		this.columns = columnsOf(this.story, this.unfolded);
		this.fold.hidden = !this.unfolded && !this.columns.some((c) => c.fold);
		this.place();
		const crash = this.columns.find((c) => c.last);
		const scale = this.scale();
		const svg = s("svg", { width: this.size * scale, height: this.height * scale, viewBox: `0 0 ${this.size} ${this.height}`, role: "group", "aria-label": "Timeline" });

		svg.append(s("defs", {}, s("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
			s("rect", { width: 7, height: 7 }), s("line", { x1: 0, y1: 0, x2: 0, y2: 7 }))));
		svg.append(s("rect", { class: "zone", x: crash.x, y: 0, width: Math.max(0, this.size - crash.x), height: this.height }));
		this.labels = s("g", {});
		for (const lane of this.lanes)
			this.drawLane(svg, lane, crash);
		this.story.lines.forEach((line, k) => this.drawLine(svg, line, this.lineTop + k * TIMELINE.line, crash));
		for (const c of this.columns.filter((x) => x.crash))
			this.drawCrash(svg, c);
		for (const c of this.columns.filter((x) => x.recovering && x.item.step.of))
			this.drawArc(svg, c);
		for (const c of this.columns)
			this.drawColumn(svg, c);
		this.scroll.replaceChildren(svg);
		this.drawGutter(scale);
	}

	drawLane(svg, lane, crash) {
		const y = this.laneY(lane, lane.recovering) + TIMELINE.box / 2;

		svg.append(s("line", { class: "lane", x1: lane.recovering ? crash.x : 0, x2: lane.recovering ? this.size : crash.x, y1: y, y2: y }));
		this.labels.append(s("text", { class: "label", x: 8, y: y + 4 }, lane.name));
	}

	/* The names of lanes and lines, which stay where they are. */
	drawGutter(scale) {
		const width = 16 + Math.max(...[...this.labels.children].map((e) => 8.1 * e.textContent.length));
		const svg = s("svg", { width: width * scale, height: this.height * scale, viewBox: `0 0 ${width} ${this.height}` });

		svg.append(this.labels);
		this.gutter.replaceChildren(svg);
	}

	drawCrash(svg, c) {
		svg.append(s("line", { class: "crash", x1: c.x, x2: c.x, y1: 20, y2: this.height }),
			s("text", { class: "crash-label halo", x: c.x, y: 14, "text-anchor": c.x > this.size - 40 ? "end" : "middle" }, c.crash));
	}

	drawColumn(svg, c) {
		if (c.gap || c.fold) {
			const y = c.fold ? this.laneY(c.fold[0], true) : TIMELINE.head + 16, n = c.fold ? c.fold.length : c.gap;
			const node = s("g", { class: "fold ev", tabindex: c.fold ? "-1" : null, role: c.fold ? "button" : "img",
				"aria-label": c.fold ? n + " reads that had no choice: show them" : n + " other steps" },
				s("rect", { x: c.x - Math.min(c.w - 6, 76) / 2, y: y + 6, width: Math.min(c.w - 6, 76), height: 22, rx: 11 }),
				s("text", { class: "dim", x: c.x, y: y + 21, "text-anchor": "middle" }, "⋯ " + n));

			if (c.fold) {
				node.addEventListener("click", () => this.unfold(true));
				node.addEventListener("keydown", (e) => e.key === "Enter" && node.dispatchEvent(new Event("click")));
			}
			svg.append(node);
			return;
		}
		if (c.crash || !c.item)
			return;
		this.drawEvent(svg, c);
	}

	drawEvent(svg, c) {
		const { item } = c, step = item.step, y = this.laneY(item, c.recovering), w = c.w - 8;
		const missed = c.end || (step.of && !step.sees_newest);
		const name = c.end ? "end" : step.event;
		const node = s("g", { class: "ev " + (c.end ? "missed" : missed ? "read missed" : kindOf(step)) + (item.late ? " late" : ""), tabindex: "-1", role: "img",
			"aria-label": this.texts[item.i].trim(), "data-step": item.i },
			s("rect", { x: c.x - w / 2, y, width: w, height: TIMELINE.box, rx: 5 }),
			s("text", { x: c.x, y: y + 14, "text-anchor": "middle" }, clip(name + (step.size && !c.end && kindOf(step) !== "flush" ? " " + step.value : ""), w, 6.6)),
			s("text", { class: "dim", x: c.x, y: y + 28, "text-anchor": "middle" }, clipPlace(shortPlace(step.at), w, 6.2)));

		node.addEventListener("pointerenter", () => this.show(item.i));
		node.addEventListener("focus", () => this.show(item.i));
		node.addEventListener("click", () => this.show(item.i));
		svg.append(node);
	}

	drawLine(svg, line, y, crash) {
		const lost = this.lostFrom(line), at = (v) => (v && v.item ? this.columnOf(v.item) : null);

		this.labels.append(s("text", { class: "label", x: 8, y: y + 19 }, addressText(line.step.address)),
			s("text", { class: "dim", x: 8, y: y + 46 }, "durable"));
		line.boxes = [];
		line.versions.forEach((v, k) => {
			const from = at(v), next = at(line.versions[k + 1]);
			const x1 = from ? from.x - from.w / 2 + 4 : 4, x2 = next ? next.x - next.w / 2 + 4 : crash.x;

			if (x2 - x1 >= 3)
				this.drawVersion(svg, line, v, { x1, x2, y, lost: lost !== null && v.n > lost });
		});
		line.durable.forEach((d, k) => {
			const from = d.from && this.columnOf(d.from), next = line.durable[k + 1] && this.columnOf(line.durable[k + 1].from);
			const x1 = from ? from.x : 4, x2 = next ? next.x : crash.x;

			if (x2 - x1 < 3)
				return;
			svg.append(s("g", { class: "dur" + (d.n ? "" : " before") }, s("rect", { x: x1, y: y + TIMELINE.track + 4, width: x2 - x1 - 2, height: TIMELINE.durable, rx: 3 }),
				s("text", { class: "dim", x: (x1 + x2) / 2, y: y + TIMELINE.track + 17, "text-anchor": "middle" }, clip(versionName(d.n), x2 - x1 - 4, 6.4))));
		});
		this.drawPossible(svg, line, y, crash);
	}

	/* What the crash may leave of a line: from what is durable to the newest. */
	drawPossible(svg, line, y, crash) {
		const newest = line.versions.length - 1, certain = line.certain;

		svg.append(s("text", { class: "dim halo", x: crash.x + 9, y: y + 19 },
			certain === newest ? versionName(newest) + " for certain" : versionName(certain) + (newest > certain + 1 ? " … " : " or ") + versionName(newest) + " possible"));
	}

	drawVersion(svg, line, v, { x1, x2, y, lost }) {
		const i = v.item ? v.item.i : line.i;
		const text = v.item ? versionName(v.n) + " " + v.item.step.value : versionName(0);
		const node = s("g", { class: "ver" + (lost ? " lost" : "") + (v.item ? "" : " before"), "data-step": i },
			s("rect", { x: x1, y, width: x2 - x1 - 2, height: TIMELINE.track, rx: 3 }),
			lost && s("rect", { class: "hatch", x: x1, y: y + TIMELINE.track - 7, width: x2 - x1 - 2, height: 7, rx: 2 }),
			x2 - x1 > 24 && s("text", { x: (x1 + x2) / 2, y: y + (lost ? 16 : 19), "text-anchor": "middle" }, clip(text + (lost ? " lost" : ""), x2 - x1 - 6, 6.8)));

		node.addEventListener("pointerenter", () => this.show(i));
		node.addEventListener("click", () => this.show(i));
		line.boxes[v.n] = { x: v.item ? x2 - Math.min(14, (x2 - x1) / 2) : (x1 + x2) / 2, y };
		svg.append(node);
	}

	/* The newest version of a line that recovery has left possible; null: it read no older one. */
	lostFrom(line) {
		let lost = null;

		for (const read of this.story.recovery) {
			if (!read.step.of || read.step.sees_newest || !sameLine(line, read.step.address))
				continue;
			const n = leftVersion(line, read);

			if (n !== null)
				lost = lost === null ? n : Math.min(lost, n);
		}
		return lost;
	}

	drawArc(svg, c) {
		const step = c.item.step, line = this.story.lines.find((l) => sameLine(l, step.address));
		const n = line && (step.sees_newest ? tookVersion : leftVersion)(line, c.item), to = line && n !== null && line.boxes[n];

		if (!to)
			return;
		const y = this.laneY(c.item, true) + TIMELINE.box, missed = !step.sees_newest;
		svg.append(s("path", { class: "arc" + (missed ? " missed" : ""), d: `M ${c.x} ${y} C ${c.x} ${y + 44}, ${to.x + 26} ${to.y - 46}, ${to.x} ${to.y - 4}` }),
			s("circle", { class: missed ? "tip-bad" : "tip-good", cx: to.x, cy: to.y - 1, r: 4 }));
	}

	/* ---- moving ---- */

	key(e) {
		const all = [...this.scroll.querySelectorAll(".ev")], at = all.indexOf(document.activeElement);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[e.key];

		if (to === undefined || !all[to])
			return;
		e.preventDefault();
		all[to].focus();
		all[to].scrollIntoView({ block: "nearest", inline: "nearest" });
	}

	show(i) {
		const step = this.steps[i], line = sourceLine(step.at);

		this.now.replaceChildren(this.texts[i].trim(), line && h("code", {}, step.at.line + " | " + line.trim()));
		if (!line)
			this.now.replaceChildren(this.texts[i].trim());
		for (const node of [...this.scroll.querySelectorAll(".on"), ...this.text.querySelectorAll(".on")])
			node.classList.remove("on");
		this.text.querySelector("#step-" + i).classList.add("on");
		for (const node of this.scroll.querySelectorAll(`[data-step="${i}"]`))
			node.classList.add("on");
	}
}

function versionName(n) {
	return n ? "v" + n : "before";
}

/* As much of a text as fits. */
function clip(text, width, letter) {
	const n = Math.floor(width / letter);

	return text.length <= n ? text : n < 2 ? "" : text.slice(0, n - 1) + "…";
}

/* The same of FILE:LINE, of which the end is what one looks for. */
function clipPlace(text, width, letter) {
	const n = Math.floor(width / letter);

	return text.length <= n ? text : n < 2 ? "" : "…" + text.slice(1 - n);
}
