/*
 * The page: views by the address (#ID, #coverage, #statistics), the list with its filters, and the keyboard.
 *
 * Of the list only the rows in sight are elements, so that ten thousand findings are no more work than ten.
 */
const app = { shown: FINDINGS.map((_, i) => i), open: -1, cursor: 0, list: null, side: null, split: null, article: null };

function rowHeight() {
	return 5.25 * rem();
}

function searchText(f) {
	f.search = f.search || [f.id, f.kind, f.message, f.field || "", f.fix || "", ...f.sites.map((x) => placeText(x))].join("\n").toLowerCase();
	return f.search;
}

/* ---- the list ---- */

function choose(label, values, change) {
	return h("select", { "aria-label": label, onchange: change }, h("option", { value: "" }, label + ": all"),
		values.map((v) => h("option", { value: v }, v)));
}

function unique(of) {
	return [...new Set(FINDINGS.map(of))].filter((x) => x).sort();
}

function sidePane() {
	const text = h("input", { type: "search", placeholder: "Filter by text  ( / )", "aria-label": "Filter by text", oninput: () => filter() });
	const kind = choose("Kind", unique((f) => f.kind), () => filter());
	const severity = choose("Severity", unique((f) => f.severity), () => filter());
	const file = choose("File", unique(fileOf).map(shortPath), () => filter());
	const confirmed = choose("Standing", ["confirmed", "not confirmed"], () => filter());
	const count = h("span", { role: "status" });
	const clear = h("button", { type: "button", hidden: true, onclick: () => {
		text.value = kind.value = severity.value = file.value = confirmed.value = "";
		filter();
	} }, "Clear");

	function filter() {
		const words = text.value.toLowerCase().split(/\s+/).filter((w) => w);

		app.shown = [];
		FINDINGS.forEach((f, i) => {
			if ((!kind.value || f.kind === kind.value) && (!severity.value || f.severity === severity.value) &&
			    (!file.value || shortPath(fileOf(f)) === file.value) && (!confirmed.value || (confirmed.value === "confirmed") === f.confirmed) &&
			    words.every((w) => searchText(f).includes(w)))
				app.shown.push(i);
		});
		count.textContent = number(app.shown.length) + " of " + number(FINDINGS.length) + (FINDINGS.length === 1 ? " finding" : " findings");
		clear.hidden = !(text.value || kind.value || severity.value || file.value || confirmed.value);
		app.cursor = Math.max(0, app.shown.indexOf(app.open));
		app.list.scrollTop = 0;
		drawRows();
	}
	app.text = text;
	app.list = h("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Findings", onscroll: drawRows }, h("div", { class: "room" }));
	app.side = h("div", { class: "side" }, h("div", { class: "filters", role: "search" }, text, kind, severity, file, confirmed, h("div", { class: "count" }, count, clear)), app.list);
	filter();
	return app.side;
}

function rowOf(k) {
	const i = app.shown[k], f = FINDINGS[i];
	const row = h("a", { class: "row " + f.severity, role: "option", href: "#" + f.id, id: "row-" + i, tabindex: "-1", "aria-selected": String(i === app.open),
		"aria-setsize": app.shown.length, "aria-posinset": k + 1 },
		h("div", { class: "kind" }, h("span", {}, f.kind), h("span", { class: "at" }, shortPlace(f.sites.find((x) => x.file)))), h("div", { class: "message" }, f.message));

	row.style.top = k * rowHeight() + "px";
	return row;
}

function drawRows() {
	const room = app.list.firstChild, height = rowHeight(), from = Math.max(0, Math.floor(app.list.scrollTop / height) - 4);
	const to = Math.min(app.shown.length, from + Math.ceil((app.list.clientHeight || 800) / height) + 8), rows = [];

	for (let k = from; k < to; k++)
		rows.push(rowOf(k));
	room.style.height = app.shown.length * height + "px";
	room.replaceChildren(...rows);
	if (!app.shown.length)
		room.replaceChildren(h("p", { class: "empty" }, FINDINGS.length ? "Nothing matches." : "No findings."));
	const at = app.shown[app.cursor];
	if (document.getElementById("row-" + at) || rows.length === 0)
		app.list.setAttribute("aria-activedescendant", rows.length ? "row-" + at : "");
}

function moveTo(k) {
	if (!app.shown.length)
		return;
	app.cursor = Math.min(app.shown.length - 1, Math.max(0, k));
	const height = rowHeight(), top = app.cursor * height;

	if (top < app.list.scrollTop)
		app.list.scrollTop = top;
	else if (top + height > app.list.scrollTop + app.list.clientHeight)
		app.list.scrollTop = top + height - app.list.clientHeight;
	history.replaceState(null, "", "#" + FINDINGS[app.shown[app.cursor]].id);
	show();
}

/* ---- views ---- */

const VIEWS = [["", "Findings", () => true], ["overview", "Overview", () => true], ["coverage", "Coverage", () => !!RESULT.coverage], ["statistics", "Statistics", () => true]];

function tabs(current) {
	document.getElementById("tabs").replaceChildren(...VIEWS.filter((v) => v[2]()).map(([id, name]) =>
		h("a", { href: "#" + id, "aria-current": id === current ? "page" : null }, name + (id === "" ? " " + number(FINDINGS.length) : ""))));
}

function showFinding(i) {
	if (!app.split) {
		app.article = h("div", { class: "open" });
		app.split = h("div", { class: "split" }, sidePane(), app.article);
	}
	if (!app.split.isConnected) {
		document.getElementById("main-content").replaceChildren(app.split);
		app.open = -2;
	}
	app.split.classList.toggle("detail", i >= 0);
	if (i !== app.open) {
		app.open = i;
		app.article.replaceChildren(i >= 0 ? findingView(i) : overview());
		app.article.scrollTop = 0;
		document.title = (i >= 0 ? FINDINGS[i].kind + " " + FINDINGS[i].id + " · " : "") + "perdure " + RESULT.verb;
	}
	const k = app.shown.indexOf(i);
	if (k >= 0)
		app.cursor = k;
	measure();
	drawRows();
}

function show() {
	const id = decodeURIComponent(location.hash.slice(1)), i = FINDINGS.findIndex((f) => f.id === id);
	const view = VIEWS.find((v) => v[0] === id && v[2]());
	const main = document.getElementById("main-content");

	tabs(view ? view[0] : "");
	if (view && view[0] !== "") {
		main.replaceChildren({ overview, coverage: coverageView, statistics: statsView }[view[0]]());
		scrollTo(0, 0);
		return;
	}
	/* On a wide screen the first finding is open; on a narrow one, the list. */
	showFinding(i >= 0 ? i : id === "" && FINDINGS.length && innerWidth > 800 ? app.shown[app.cursor] ?? -1 : -1);
}

/* Room for the list: what is left below the head. */
function measure() {
	const head = document.querySelector(".top").offsetHeight + document.getElementById("verdict").offsetHeight;

	document.documentElement.style.setProperty("--head", head + "px");
}

/* ---- the keyboard, light and dark ---- */

const KEYS = [["/", "filter by text"], ["j  k", "next, previous finding"], ["Home  End", "first, last (in the list)"], ["→  ←", "steps of the timeline, when it has the focus"], ["Esc", "leave the filter; back to the list"], ["?", "this help"]];

function help() {
	const dialog = document.getElementById("keys");

	dialog.replaceChildren(h("h2", {}, "Keyboard"), h("table", {}, h("tbody", {}, KEYS.map(([k, what]) =>
		h("tr", {}, h("td", {}, k.split("  ").map((x) => [h("kbd", {}, x), " "])), h("td", {}, what))))), h("p", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Close")));
	dialog.showModal();
}

function key(e) {
	const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName), inList = e.target === app.list || e.target.closest?.(".list");
	const inTimeline = e.target.closest?.(".scroll");

	if (e.ctrlKey || e.metaKey || e.altKey || document.getElementById("keys").open)
		return;
	if (e.key === "Escape") {
		if (typing)
			e.target.blur();
		else if (app.split && app.split.isConnected && innerWidth <= 800)
			location.hash = "";
		return;
	}
	if (typing)
		return;
	const step = { j: 1, k: -1, ArrowDown: inList ? 1 : 0, ArrowUp: inList ? -1 : 0 }[e.key];
	if (e.key === "/" && app.split && app.split.isConnected) {
		e.preventDefault();
		app.text.focus();
	} else if (e.key === "?") {
		help();
	} else if (step && !inTimeline && app.split && app.split.isConnected) {
		e.preventDefault();
		moveTo(app.cursor + step);
	} else if (inList && (e.key === "Home" || e.key === "End")) {
		e.preventDefault();
		moveTo(e.key === "Home" ? 0 : app.shown.length - 1);
	}
}

function theme(next) {
	const root = document.documentElement;
	let kept = null;

	try {
		kept = localStorage.getItem("perdure-theme");
	} catch { /* not allowed: it is not kept */ }
	const dark = next === undefined ? (kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches) : next;

	root.dataset.theme = dark ? "dark" : "light";
	if (next !== undefined)
		try {
			localStorage.setItem("perdure-theme", dark ? "dark" : "light");
		} catch { /* likewise */ }
}

function start() {
	const verdict = document.getElementById("verdict");

	theme();
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());
	document.getElementById("verb").textContent = RESULT.verb + (RESULT.command.length ? " · " + baseName(RESULT.command[0]) : "");
	verdict.textContent = DATA.summary.trim();
	verdict.classList.add("s" + DATA.status);
	document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme !== "dark"));
	document.getElementById("help").addEventListener("click", help);
	addEventListener("hashchange", show);
	addEventListener("resize", () => { measure(); if (app.list && app.list.isConnected) drawRows(); });
	document.addEventListener("keydown", key);
	addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
	measure();
	show();
}

start();
