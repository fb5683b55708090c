/* The table of functions: those of the file on view, or of all. */

/** @type {Record<string, (a: FunctionRow, b: FunctionRow) => number>} */
const functionOrders = {
	count: (a, b) => compareCounts(a.count, b.count),
	instances: (a, b) => a.instances.length - b.instances.length,
	function: (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
	place: (a, b) => a.file === b.file ? a.line - b.line :
	    a.file.path < b.file.path ? -1 : 1,
};

/**
 * The functions that the words of the view ask for.  All of a file whose path
 * is searched are among them.
 * @param {Coverage} coverage
 */
function chosenFunctions(coverage) {
	const sorted = view.get("fsort", "place");
	const wanted = view.get("q"), matches = matcher(wanted);
	const file = wanted === "" && view.get("of") !== "all" ?
	    view.get("file") : "";
	const patch = view.get("only") === "patch";
	const order = functionOrders[sorted.replace("-", "")] ||
	    functionOrders.place;

	return coverage.functions.filter((f) => (file === "" ||
		f.file.path === file) && (!patch || f.file.changed.length) &&
	    (wanted === "" || matches(f.name.toLowerCase()) ||
		matches(f.file.path.toLowerCase()))).sort(sorted[0] === "-" ?
	    (a, b) => order(b, a) : order);
}

/** @returns {Column<FunctionRow>[]} */
function functionColumns() {
	return [
		{ id: "count", title: "count", width: "8rem",
		    cell: (f) => element("span", { class: f.count === 0 ?
			"hot" : undefined }, digits(f.count)) },
		{ id: "instances", title: "instances", width: "5.2rem",
		    cell: (f) => f.instances.length === 0 ? "" :
		    digits(f.instances.length) },
		{ id: "function", title: "function", left: true,
		    width: "minmax(0, 2fr)", cell: (f) => element("span",
			{ class: "mono", title: visible(f.name, 2000) },
			visible(f.name, 400)) },
		{ id: "place", title: "place", left: true, wide: true,
		    width: "minmax(0, 1fr)", cell: (f) => element("span",
			{ class: "mono" }, visible(f.file.path, 400) + ":" +
			f.line) },
	];
}

/** @param {Coverage} coverage */
function functionsPanel(coverage) {
	/** @type {Set<FunctionRow>} whose instances are shown */
	const open = new Set();
	/** @type {FunctionRow | undefined} */
	let chosen;
	const count = element("span", { class: "hint", role: "status" });
	const table = new Table("Functions", functionColumns(), {
		choose: (f) => {
			chosen = f;
			if (f.instances.length !== 0) {
				if (!open.delete(f))
					open.add(f);
				draw();
			}
			view.set({ file: f.file.path, line: String(f.line) });
		}, sort: (column) => sortBy("fsort", column, "place",
		    ["place", "function", "count"]),
		kind: (f) => f.instances.length === 0 ? "" : open.has(f) ?
		    "open" : "closed",
		empty: "No function matches." });
	const draw = () => {
		const found = chosenFunctions(coverage);
		const rows = found.flatMap((f) => open.has(f) ?
		    [f, ...f.instances] : [f]);

		count.textContent = `${digits(found.length)} of ` +
		    counted(coverage.functions.length, "function");
		table.show(rows, view.get("fsort", "place"));
		table.mark(chosen === undefined ? -1 : rows.indexOf(chosen));
	};
	const made = panel("functions", "Functions", choice("Functions of",
	    [["", "of the file"], ["all", "all"]], () => view.get("of"),
	    (of) => view.set({ of })), table.root);

	table.root.id = "functions-table";
	made.children[0].append(count);
	view.on(["q", "fsort", "file", "only", "of"], draw);
	draw();
	return made;
}
