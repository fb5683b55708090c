/* The table of functions: those of the file on view, or those searched. */

/** @type {Record<string, (a: FunctionData, b: FunctionData) => number>} */
const functionOrders = {
	count: (a, b) => compareCounts(a.count, b.count),
	function: (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
	place: (a, b) => a.file === b.file ? a.line - b.line :
	    a.file.path < b.file.path ? -1 : 1,
};

/** @param {Coverage} coverage */
function chosenFunctions(coverage) {
	const sorted = view.get("fsort", "place");
	const order = functionOrders[sorted.replace("-", "")] ||
	    functionOrders.place;
	const wanted = view.get("q"), matches = matcher(wanted);
	const path = wanted === "" ? view.get("file") : "";

	return coverage.functions.filter((f) => (path === "" ||
		f.file.path === path) && (matches(f.name.toLowerCase()) ||
		matches(f.file.path.toLowerCase()))).sort(sorted[0] === "-" ?
	    (a, b) => order(b, a) : order);
}

/** @param {Coverage} coverage */
function functionsPanel(coverage) {
	/** @type {Column<FunctionData>[]} */
	const columns = [
		{ id: "count", title: "count", width: "8rem",
		    cell: (f) => element("span", { class: f.count === 0 ?
			"hot" : undefined }, digits(f.count)) },
		{ id: "function", title: "function", left: true,
		    width: "minmax(0, 2fr)", cell: (f) => element("span",
			{ class: "mono", title: visible(f.name, 2000) },
			visible(f.name, 400)) },
		{ id: "place", title: "place", left: true, wide: true,
		    width: "minmax(0, 1fr)", cell: (f) => element("span",
			{ class: "mono" }, visible(f.file.path, 400) + ":" +
			f.line) },
	];
	const table = new Table("Functions", columns, {
		choose: (f) => view.set({ file: f.file.path,
			line: String(f.line) }),
		sort: (column) => sortBy("fsort", column, "place",
		    Object.keys(functionOrders)),
		empty: "No function matches." });
	const draw = () => {
		const chosen = table.rows[table.chosen];

		table.show(chosenFunctions(coverage), view.get("fsort",
		    "place"));
		table.mark(table.rows.indexOf(chosen));
	};

	table.root.id = "functions-table";
	view.on(["q", "fsort", "file"], draw);
	draw();
	return panel("functions", "Functions", table.root);
}
