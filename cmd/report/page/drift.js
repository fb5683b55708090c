/* How the shares of files, or of namespaces, have changed. */

/**
 * @typedef {object} Drift
 * @property {string} name
 * @property {number} a
 * @property {number} b
 * @property {number} functions
 * @property {Record<string, number>} words functions of each
 */

/**
 * @param {Change} c
 * @param {boolean} byFile
 */
function driftGroup(c, byFile) {
	if (byFile)
		return c.file === "" ? "(no file in the name)" : c.file;
	return placeOf(c, false).groups.join("::") || "(no namespace)";
}

/**
 * The groups of the functions, the largest change first.
 * @param {Change[]} changes
 * @param {boolean} byFile
 */
function driftRows(changes, byFile) {
	/** @type {Map<string, Drift>} */
	const groups = new Map();

	for (const c of changes) {
		const name = driftGroup(c, byFile);
		let group = groups.get(name);

		if (group === undefined) {
			group = { name, a: 0, b: 0, functions: 0, words: {} };
			groups.set(name, group);
		}
		group.a += c.a;
		group.b += c.b;
		group.functions++;
		group.words[c.word] = (group.words[c.word] || 0) + 1;
	}
	return [...groups.values()].sort((x, y) => Math.abs(y.b - y.a) -
	    Math.abs(x.b - x.a) || (x.name < y.name ? -1 : 1));
}

/** @type {Record<string, (a: Drift, b: Drift) => number>} */
const driftOrders = {
	change: (x, y) => Math.abs(x.b - x.a) - Math.abs(y.b - y.a),
	a: (x, y) => x.a - y.a,
	b: (x, y) => x.b - y.b,
	functions: (x, y) => x.functions - y.functions,
	group: (x, y) => x.name < y.name ? -1 : x.name > y.name ? 1 : 0,
};

/**
 * @param {() => Drift[]} rows all that may be shown
 * @returns {Column<Drift>[]}
 */
function driftColumns(rows) {
	const top = () => Math.abs(rows()[0].b - rows()[0].a) || 1;

	return [
		{ id: "change", title: "change", width: "5.2rem",
		    cell: (d) => points(d.b - d.a),
		    part: (d) => Math.abs(d.b - d.a) / top() },
		{ id: "a", title: "in A", width: "4.6rem", wide: true,
		    cell: (d) => exactPercent(d.a) },
		{ id: "b", title: "in B", width: "4.6rem", wide: true,
		    cell: (d) => exactPercent(d.b) },
		{ id: "functions", title: "functions", width: "4.4rem",
		    wide: true, cell: (d) => digits(d.functions) },
		{ id: "group", title: "group", left: true,
		    width: "minmax(0, 1fr)", cell: (d) => element("span",
		    { class: "mono", title: visible(d.name, 2000) + ": " +
			changeWords.filter((w) => d.words[w]).map((w) =>
			`${digits(d.words[w])} ${w}`).join(", ") },
			visible(d.name, 400)) },
	];
}

/** @param {Change[]} changes */
function driftPanel(changes) {
	const usual = haveFiles(changes).most ? "file" : "namespace";
	const byFile = () => view.get("by", usual) === "file";
	/** @type {Record<string, Drift[]>} */
	const made = {};
	const table = new Table("Drift", driftColumns(() =>
	    made[view.get("by", usual)]), {
		choose: (d) => view.set(d.name[0] === "(" && d.name !==
		    "(anonymous namespace)" ? { file: "", q: "" } : byFile() ?
		    { file: d.name } : { q: d.name + "::" }),
		sort: (column) => sortBy("drift", column, "-change",
		    ["group"]),
		empty: "No function has changed.", wide: 430 });
	const draw = () => {
		const by = view.get("by", usual);
		const sorted = view.get("drift", "-change");
		const order = driftOrders[sorted.replace("-", "")] ||
		    driftOrders.change;

		made[by] = made[by] || driftRows(changes, by === "file");
		table.show([...made[by]].sort(sorted[0] === "-" ? (x, y) =>
		    order(y, x) : order), sorted);
	};
	const box = panel("drift", "Drift by file or namespace", table.root,
	    element("p", { class: "hint" }, "Select a row to see its " +
		"functions."));

	table.root.id = "drift-table";
	box.children[0].append(element("span", { class: "space" }),
	    choice("Groups", [["namespace", "namespace"], ["file", "file"]],
		() => view.get("by", usual), (by) => view.set({ by })));
	view.on(["by", "drift"], draw);
	draw();
	return box;
}
