"use strict";
/*
 * The script of the page: its files are put together in the order of their names (tools/page).
 *
 * What the data says is shown as text, by textContent, never as markup: strings come from tested programs. Sentences about findings
 * come with the data (src/report/words); here are the labels of the page alone.
 */
const DATA = JSON.parse(document.getElementById("data").textContent);
const RESULT = DATA.result;
const FINDINGS = RESULT.findings;

/* An element with properties and children; a child is a node or a text, null is none. */
function h(name, props, ...children) {
	return fill(document.createElement(name), props, children);
}

function s(name, props, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", name), props, children);
}

function fill(node, props, children) {
	for (const [key, value] of Object.entries(props || {})) {
		if (key.startsWith("on"))
			node.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(key, value === true ? "" : value);
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false)
			node.append(child);
	return node;
}

function section(title, ...children) {
	return h("section", { class: "card" }, h("h2", {}, title), ...children);
}

/* A path as a reader in the directory of the report would write it. */
function shortPath(file) {
	const here = DATA.here ? DATA.here + "/" : "";

	return here && file.startsWith(here) ? file.slice(here.length) : file;
}

function baseName(file) {
	return file.slice(file.lastIndexOf("/") + 1);
}

function placeText(at) {
	if (!at || (!at.file && !at.function))
		return "";
	const place = at.file ? shortPath(at.file) + (at.line ? ":" + at.line : "") : "";

	return place && at.function ? place + " in " + at.function : place || at.function;
}

function shortPlace(at) {
	return at && at.file ? baseName(at.file) + (at.line ? ":" + at.line : "") : (at && at.function) || "";
}

function sourceLine(at) {
	const source = at && at.file && DATA.sources[at.file];

	return (source && source.lines[at.line]) || "";
}

function rem() {
	return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function number(n) {
	return typeof n === "number" ? n.toLocaleString("en", { maximumFractionDigits: 3 }) : String(n);
}

function addressText(a) {
	return a ? (a.file ? baseName(a.file) : "PM") + "+0x" + a.offset.toString(16) : "";
}

/* A button that copies, also where the clipboard may not be written to. */
function copyable(text) {
	const code = h("code", {}, text);
	const button = h("button", { type: "button", onclick: copy }, "Copy");

	async function copy() {
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			getSelection().selectAllChildren(code);
			document.execCommand("copy");
		}
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	}
	return h("div", { class: "copy" }, code, button);
}

/*
 * Lines of a source file around those that are marked; `mark` has a class by line, `say` a label. null: the file could not be read
 * when the page was made.
 */
function sourceView(file, wanted, say) {
	const source = DATA.sources[file];
	const have = source ? Object.keys(source.lines).map(Number) : [];

	if (!have.length)
		return h("p", { class: "warning" }, "The source was not there when this page was made: " + shortPath(file));
	const near = have.filter((n) => [...wanted].some((w) => Math.abs(n - w) <= 3));
	const table = h("div", { class: "src" });
	let before = 0;

	for (const n of near) {
		if (before && n > before + 1)
			table.append(h("div", { class: "fold" }, h("span", { class: "n" }, "⋯"), h("span", {}, ""), say && h("span", {})));
		const label = say && say.get(n);
		table.append(h("div", { class: wanted.has(n) && !say ? "marked" : null }, h("span", { class: "n" }, String(n)),
			say && h("span", { class: "w " + (label ? label.class : "") }, label ? label.text : ""), h("span", {}, source.lines[n])));
		before = n;
	}
	return h("div", {}, source.changed && h("p", { class: "warning" }, "The file was changed after the run: lines may have moved."),
		h("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source of " + shortPath(file) }, table));
}
