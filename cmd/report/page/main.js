/* The sections of the page. */

/** @param {Profile} p */
function summaryFigures(p) {
	const s = p.summary, list = element("dl", { class: "figures" });
	/** @type {[string, Count, string][]} */
	const figures = s.functions === 0 ? [] : [
		["functions", s.functions, `${digits(s.zero_functions)} never ` +
		    "entered"],
		["counters", s.counters, `${digits(s.zero_counters)} zero`],
		["total count", s.total_count, ""],
		["largest first count", s.max_function_count, ""],
		["largest other count", s.max_internal_count, ""],
	];

	for (const [kind, name] of [["indirect_call_target",
	    "indirect call sites"], ["mem_op_size", "memory operations"],
	    ["vtable_target", "vtable loads"]])
		if (s.values[kind].sites !== 0)
			figures.push([name, s.values[kind].sites,
			    `${digits(s.values[kind].values)} values`]);
	for (const [key, name] of [["pseudo_functions", "pseudo functions"],
	    ["context_sensitive_functions", "context-sensitive functions"],
	    ["nameless_functions", "functions without name"],
	    ["bitmap_bytes", "MC/DC bitmap bytes"],
	    ["raw_counters", "unresolved counters"], ["vtables", "vtables"],
	    ["traces", "traces"], ["data_accesses", "accessed data"],
	    ["cold_symbols", "cold data symbols"],
	    ["cold_literals", "cold string literals"]])
		if (s[key])
			figures.push([name, s[key], ""]);
	for (const [name, value, note] of figures)
		list.append(figure(name, digits(value), note));
	return list;
}

/** @param {Profile} p */
function summaryChips(p) {
	const s = p.summary;
	/** @type {Record<string, string>} */
	const words = { ir: "IR", frontend: "front end", memprof: "heap",
		mixed: "counters and heap" };
	const chips = [[s.format, s.version].filter((x) => x !== undefined)
	    .join(" version "), s.pointer_bits === undefined ? "" :
	    `${s.pointer_bits}-bit ${s.endian}-endian`, words[s.kind] || "",
	    words[s.level] || ""];

	for (const key of ["context_sensitive", "entry_first", "loop_entries",
	    "byte_coverage", "function_entry_only", "temporal",
	    "debug_info_correlated", "binary_correlated", "salvaged"])
		if (s[key] === true)
			chips.push(key.replaceAll("_", " ").replace("context ",
			    "context-"));
	if (s.inputs > 1)
		chips.push(`${digits(s.inputs)} merged profiles`);
	for (const id of (s.build_ids || []).slice(0, 8))
		chips.push("build id " + id);
	return element("div", { class: "chips" }, ...chips.filter((c) => c)
	    .map((c) => element("span", {}, visible(c))));
}

/**
 * Bars of the three classes; each part chooses the functions of its class.
 * @param {Profile} p
 */
function classBars(p) {
	const bars = element("div", { class: "classes" });
	/** @type {[string, (f: Fn) => number][]} */
	const rows = [["functions", () => 1], ["counts", (f) => f.share]];

	for (const [name, measure] of rows)
		bars.append(...classTrack(name, classNames.map((kind) => ({
			kind, size: p.fns.reduce((n, f) => n + (f.kind ===
			    kind ? measure(f) : 0), 0) })), name ===
		    "functions" ? digits : () => "", (kind) => view.set({
			class: kind })));
	return bars;
}

/** @param {Profile} p */
function summaryPanel(p) {
	const s = p.summary;
	const from = s.file === undefined || s.file === "-" ? "Profile" :
	    s.file + (s.member === undefined ? "" : `[${s.member}]`);
	const figures = summaryFigures(p);
	const made = panel("summary", visible(from, 300), summaryChips(p),
	    ...(figures.childElementCount === 0 ? [] : [figures]));

	if (p.fns.length !== 0)
		made.append(classBars(p), element("p", { class: "hint" },
		    `Counters of ${digits(p.thresholds.hot)} or more are hot ` +
		    `for a compiler, those of ${digits(p.thresholds.cold)} ` +
		    "or less are cold. A function has the class of its " +
		    "largest counter."));
	if (s.heap !== undefined && p.heap !== undefined &&
	    p.heap.contexts.length < s.heap.contexts)
		made.append(element("p", { class: "note" }, "Only the " +
		    `${digits(p.heap.contexts.length)} contexts with the ` +
		    `most bytes of ${digits(s.heap.contexts)} are in this ` +
		    "page."));
	if (p.cut)
		made.append(element("p", { class: "note" }, "Only the " +
		    `${digits(p.fns.length)} functions with the ` +
		    `largest share of ${digits(s.functions)} are in this ` +
		    "page."));
	return made;
}

/** @param {Profile} p */
function sectionsOf(p) {
	const made = [summaryPanel(p)];

	if (p.heap !== undefined)
		made.push(...heapSections(p.heap));
	if (p.fns.length !== 0)
		made.push(element("div", { class: "columns" },
		    cutoffsPanel(p), distributionPanel(p)),
		    functionsPanel(p), mapPanel(p));
	if (p.traces !== undefined && p.traces.length !== 0)
		made.push(tracesPanel(p));
	return made;
}

/**
 * A choice of the comparison and the profiles, if there are several.
 * @param {Profile[]} profiles
 * @param {boolean} compared
 */
function profileChoice(profiles, compared) {
	if (profiles.length < 2)
		return [];
	const usual = compared ? "" : "0";
	const list = /** @type {HTMLSelectElement} */ (element("select",
	    { "aria-label": "Profile", onchange: () => {
		view.set({ profile: list.value, fn: "", map: "", zoom: "",
			sort: "", class: "", file: "", q: "" });
		location.reload();
	    } }));

	if (compared)
		list.append(element("option", { value: "" }, "comparison"));
	profiles.forEach((p, i) => list.append(element("option", { value: i },
	    visible((compared && profiles.length === 2 ?
		["OLD", "NEW"][i] : String(i + 1)) + ": " +
		(p.summary.member || p.summary.file || "profile"), 80))));
	list.value = view.get("profile", usual);
	return [list];
}

async function start() {
	const app = byId("app");
	const { profiles, comparison } = await readData();
	const chosen = profiles[Number(view.get("profile", "0"))] ||
	    profiles[0];

	byId("plain").hidden = true;
	app.hidden = false;
	if (comparison !== undefined && view.get("profile") === "")
		app.append(...comparisonSections(comparison, profiles.length));
	else {
		computeProfile(chosen);
		app.append(...sectionsOf(chosen));
	}
	byId("tools").append(navigation(app), ...profileChoice(profiles,
	    comparison !== undefined), themeButton());
}

begin(start);
