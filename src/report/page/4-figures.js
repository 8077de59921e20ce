/* Views of the whole result: what limits the verdict, coverage, statistics. */

function bars(title, entries) {
	const most = Math.max(1, ...entries.map((e) => e[1]));

	if (!entries.length)
		return null;
	return h("section", { class: "card plot" }, h("h2", {}, title), h("div", { class: "bars" }, entries.map(([name, n]) => {
		const fillBar = h("span", { class: "fill" });

		fillBar.style.width = (100 * n) / most + "%";
		return [h("span", {}, name), h("span", { class: "track", "aria-hidden": "true" }, fillBar), h("span", { class: "num" }, number(n))];
	})));
}

function countBy(of) {
	const counts = new Map();

	for (const f of FINDINGS)
		counts.set(of(f), (counts.get(of(f)) || 0) + 1);
	return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);
}

function fileOf(f) {
	const site = f.sites.find((x) => x.file);

	return site ? site.file : "";
}

/* ---- overview ---- */

function listOf(title, items) {
	return items && items.length ? section(title, h("ul", {}, items.map((x) => h("li", {}, x)))) : null;
}

function overview() {
	const losses = Object.entries(RESULT.losses || {}).map(([name, l]) => name + ": " + number(l.count) + (l.examples.length ? " (" + l.examples.join("; ") + ")" : ""));
	const facts = [];

	labelled(facts, "Command", RESULT.command.length ? copyable(RESULT.command.join(" ")) : "");
	labelled(facts, "Complete", RESULT.complete ? "yes" + (RESULT.scope ? ", " + RESULT.scope : "") : "no");
	labelled(facts, "Only", RESULT.only);
	labelled(facts, "Not judged", RESULT.not_judged);
	labelled(facts, "Failure", RESULT.failure);
	labelled(facts, "Suppressed", RESULT.suppressed ? number(RESULT.suppressed) : "");
	labelled(facts, "Version", RESULT.version);
	return h("div", { class: "page" }, h("section", { class: "card" }, h("h1", {}, "perdure " + RESULT.verb), h("dl", { class: "facts" }, facts)),
		listOf("Limits", RESULT.limits), listOf("Not seen", losses),
		listOf("Suppressions", (RESULT.suppressions || []).map((x) => x.name + " (" + x.file + ":" + x.line + "): " + number(x.count))),
		FINDINGS.length > 0 && h("div", { class: "plots" }, bars("By kind", countBy((f) => f.kind)), bars("By file", countBy((f) => baseName(fileOf(f)) || "not known"))));
}

/* ---- coverage ---- */

const COVERED = {
	tested: "read at stake", durable: "read only when durable", unread: "never read", safe: "never at stake",
};

const COVERED_MEANS = {
	tested: "recovery read it where a crash could have lost it", durable: "recovery read it, but only where it was durable for certain",
	unread: "a crash can lose it, and recovery never read it: the run says nothing about it", safe: "no crash could lose it",
};

function covered(site) {
	return !site.at_stake ? "safe" : site.read_at_stake ? "tested" : site.read ? "durable" : "unread";
}

/* The worst of what is on a line. */
const WORST = ["unread", "durable", "tested", "safe"];

function coverageView() {
	const c = RESULT.coverage, byFile = new Map();

	for (const site of c.sites) {
		const key = site.file || "";

		byFile.set(key, [...(byFile.get(key) || []), site]);
	}
	return h("div", { class: "page" }, h("div", { class: "plots" },
		bars("Stores to PM", [["stores", c.stores], ["at stake at a crash", c.at_stake], ["of these read", c.read], ["read at stake", c.read_at_stake]]),
		section("Key", h("ul", {}, Object.entries(COVERED).map(([k, text]) => h("li", {}, h("span", { class: "chip cov-" + k }, text), " ", COVERED_MEANS[k]))))),
		[...byFile].map(([file, sites]) => coveredFile(file, sites)));
}

function coveredFile(file, sites) {
	const say = new Map(), counts = new Map();

	for (const site of sites) {
		const k = covered(site), have = say.get(site.line);

		counts.set(k, (counts.get(k) || 0) + 1);
		if (!have || WORST.indexOf(k) < WORST.indexOf(have.kind))
			say.set(site.line, { kind: k, text: COVERED[k], class: "cov-" + k });
	}
	return section(file ? shortPath(file) : "Unknown places",
		h("p", { class: "chips" }, WORST.filter((k) => counts.has(k)).map((k) => h("span", { class: "chip cov-" + k }, COVERED[k] + ": " + counts.get(k)))),
		file ? sourceView(file, new Set(say.keys()), say) : h("ul", {}, sites.map((x) => h("li", {}, (x.function || "not known") + ": " + COVERED[covered(x)]))));
}

/* ---- statistics ---- */

function statsView() {
	const stats = Object.entries(RESULT.stats), asked = stats.filter(([k, v]) => k.startsWith("asked_") && v > 0).map(([k, v]) => [k.slice(6).replace(/_/g, " "), v]);
	const plots = [bars("Findings by severity", countBy((f) => f.severity)), bars("Findings by kind", countBy((f) => f.kind))];
	const eager = RESULT.stats.eager_states_log10;

	if (eager > 0)
		plots.push(bars("States, as powers of ten", [["eager enumeration", eager], ["executions", Math.log10(Math.max(1, RESULT.stats.executions))]]));
	if (RESULT.stats.crash_points)
		plots.push(bars("Crash points", [["all", RESULT.stats.crash_points], ["done", RESULT.stats.crash_points_done || 0]]));
	if (RESULT.stats.branches)
		plots.push(bars("Branches", [["at most", RESULT.stats.branches], ["covered", RESULT.stats.branches_covered]]));
	if (asked.length)
		plots.push(bars("Questions, by what answered", asked));
	return h("div", { class: "page" }, h("div", { class: "plots" }, plots),
		section("All figures", h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "name"), h("th", { scope: "col", class: "num" }, "value"))),
			h("tbody", {}, stats.map(([k, v]) => h("tr", {}, h("td", {}, k), h("td", { class: "num" }, number(v))))))));
}
