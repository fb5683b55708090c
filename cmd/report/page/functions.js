/* The table of functions, with its filters. */

/** @type {Record<string, (a: Fn, b: Fn) => number>} */
const functionOrders = {
	share: (a, b) => a.sum - b.sum,
	running: (a, b) => b.rank - a.rank,
	class: (a, b) => classNames.indexOf(b.kind) -
	    classNames.indexOf(a.kind),
	largest: (a, b) => compareCounts(a.max, b.max),
	entries: (a, b) => compareCounts(a.entries, b.entries),
	counters: (a, b) => a.counters - b.counters,
	name: (a, b) => a.label < b.label ? -1 : a.label > b.label ? 1 : 0,
	file: (a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : 0,
};

/**
 * The functions that the words of the view ask for, in their order.
 * @param {Profile} p
 */
function chosenFunctions(p) {
	const wanted = view.get("q"), file = view.get("file");
	const classes = view.list("class");
	const sorted = view.get("sort", "-share");
	const order = functionOrders[sorted.replace("-", "")] ||
	    functionOrders.share;
	const matches = matcher(wanted), matchesFile = matcher(file);
	const rows = p.fns.filter((f) =>
	    (classes.length === 0 || classes.includes(f.kind)) &&
	    (file === "" || matchesFile(f.file.toLowerCase())) &&
	    (wanted === "" || searchText(f).split("\n").some(matches)));

	if (sorted === "-share")
		return rows;
	rows.sort(sorted[0] === "-" ? (a, b) => order(b, a) || a.rank - b.rank :
	    (a, b) => order(a, b) || a.rank - b.rank);
	return rows;
}

/** @param {Profile} p */
function functionColumns(p) {
	const top = p.fns.length === 0 ? 1 : p.fns[0].share || 1;
	const ir = p.summary.level === "ir";
	const name = (/** @type {Fn} */ f) => visible(
	    view.get("names") === "stored" ? f.stored : f.label, 400) +
	    (ir && parseInt(f.named[3][2], 16) % 2 === 1 ?
	    " (context-sensitive)" : "");
	const anyFile = haveFiles(p.fns).some;
	/** @type {Column<Fn>[]} */
	const columns = [
		{ id: "share", title: "share", width: "4.3rem",
		    cell: (f) => percent(f.share),
		    part: (f) => f.share / top },
		{ id: "running", title: "running", width: "4.3rem",
		    wide: true, cell: (f) => percent(f.running) },
		{ id: "class", title: "class", width: "3rem", left: true,
		    cell: (f) => element("span", { class: f.kind }, f.kind) },
		{ id: "largest", title: "largest", width: "7.4rem",
		    wide: true, cell: (f) => f.pseudo === undefined ?
		    digits(f.max) : "pseudo" },
		{ id: "entries", title: "entries", width: "7.4rem",
		    wide: true, cell: (f) => digits(f.entries) },
		{ id: "counters", title: "counters", width: "4.4rem",
		    wide: true, cell: (f) => digits(f.counters) },
		{ id: "name", title: "function", left: true,
		    width: "minmax(0, 1fr)", cell: (f) => element("span",
		    { class: "mono middle", title: visible(f.label, 2000) },
		    ...halves(name(f))) },
	];

	if (anyFile)
		columns.push({ id: "file", title: "file", left: true,
		    wide: true, width: "minmax(0, 12rem)",
		    cell: (f) => element("span", { class: "mono",
			title: visible(f.file, 2000) },
			visible(f.file, 400)) });
	return columns;
}

/** @param {string} word is the class of its colour, too */
function stateClass(word) {
	return word.replaceAll(" ", "-");
}

/**
 * Buttons for the classes: those that are pressed are shown.
 * @param {string[]} names
 * @param {string} key what the view calls the choice
 */
function classButtons(names, key) {
	const group = element("div", { class: "row", role: "group",
		"aria-label": "Classes" });
	const draw = () => {
		const on = view.list(key);

		for (const b of group.children)
			b.setAttribute("aria-pressed", String(on.includes(
			    b.textContent || "")));
	};

	for (const name of names)
		group.append(element("button", { type: "button",
			class: stateClass(name),
			onclick: () => {
				const on = view.list(key);

				view.set({ [key]: (on.includes(name) ?
				    on.filter((c) => c !== name) :
				    [...on, name]).join(",") });
			} }, name));
	view.on([key], draw);
	draw();
	return group;
}

/** @param {() => Fn[]} rows */
function saveFunctions(rows) {
	return saveButtons("functions", rows,
	    (f) => ({ ...f.data, share: f.share, class: f.kind }),
	    ["name", "stored", "file", "share", "running", "class",
		"largest", "entries", "counters", "hash"],
	    (f) => [f.label, f.stored, f.file, f.share, f.running, f.kind,
		String(f.max), String(f.entries), f.counters, f.named[3]]);
}

/**
 * Shows the details of the function that the view names.
 * @param {Profile} p
 * @param {Table<Fn>} table
 * @param {HTMLElement} beside
 */
function followFunction(p, table, beside) {
	const draw = () => {
		const key = view.get("fn");
		const f = key === "" ? undefined : functionOfKey(p, key);

		beside.querySelector(".details")?.remove();
		beside.classList.toggle("open", f !== undefined);
		if (f !== undefined)
			beside.append(functionDetails(p, f));
		table.mark(f === undefined ? -1 : table.rows.indexOf(f));
	};

	view.on(["fn"], draw);
	draw();
}

/** @param {Profile} p */
function functionsPanel(p) {
	/** @type {Fn[]} */
	let rows = [];
	const count = element("span", { class: "hint", role: "status" });
	const table = new Table("Functions", functionColumns(p), {
		choose: (f) => view.set({ fn: f.key }), sort: (column) => sortBy("sort", column, "-share",
		    ["name", "file"]),
		empty: "No function matches." });
	const beside = element("div", { class: "with-details" }, table.root);
	const draw = () => {
		rows = chosenFunctions(p);
		const share = rows.reduce((n, f) => n + f.share, 0);

		count.textContent = `${digits(rows.length)} of ` +
		    `${digits(p.fns.length)} functions, ` +
		    `${percent(Math.min(1, share))} of the counts`;
		table.show(rows, view.get("sort", "-share"));
		table.mark(view.get("fn") === "" ? -1 : rows.findIndex((f) =>
		    f.key === view.get("fn")));
	};

	table.root.id = "functions-table";
	const made = panel("functions", "Functions",
	    element("div", { class: "row" },
		wordField("q", "Search functions",
		    "name, or a pattern with * and ?"),
		...(haveFiles(p.fns).some ?
		    [wordField("file", "Search files", "file")] : []),
		classButtons(classNames, "class"),
		choice("Names", [["", "demangled"], ["stored", "stored"]],
		    () => view.get("names"), (names) => view.set({ names })),
		...saveFunctions(() => rows)), beside);
	made.children[0].append(count);
	view.on(["q", "file", "class", "sort", "names"], draw);
	draw();
	followFunction(p, table, beside);
	return made;
}
