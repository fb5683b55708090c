/* How the shares of files, or of namespaces, have changed. */

/**
 * @typedef {object} Drift
 * @property {string} name
 * @property {number} old
 * @property {number} new
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
			group = { name, old: 0, new: 0, functions: 0,
				words: {} };
			groups.set(name, group);
		}
		group.old += c.old;
		group.new += c.new;
		group.functions++;
		group.words[c.word] = (group.words[c.word] || 0) + 1;
	}
	return [...groups.values()].sort((x, y) => Math.abs(y.new - y.old) -
	    Math.abs(x.new - x.old) || (x.name < y.name ? -1 : 1));
}

/** @type {Record<string, (a: Drift, b: Drift) => number>} */
const driftOrders = {
	change: (x, y) => Math.abs(x.new - x.old) - Math.abs(y.new - y.old),
	old: (x, y) => x.old - y.old,
	new: (x, y) => x.new - y.new,
	functions: (x, y) => x.functions - y.functions,
	group: (x, y) => x.name < y.name ? -1 : x.name > y.name ? 1 : 0,
};

/**
 * @param {() => Drift[]} rows all that may be shown
 * @param {string[]} words
 * @returns {Column<Drift>[]}
 */
function driftColumns(rows, words) {
	const top = () => Math.abs(rows()[0].new - rows()[0].old) || 1;

	return [
		{ id: "change", title: "change", width: "5.2rem",
		    cell: (d) => points(d.new - d.old),
		    part: (d) => Math.abs(d.new - d.old) / top() },
		{ id: "old", title: "in OLD", width: "4.6rem", wide: true,
		    cell: (d) => exactPercent(d.old) },
		{ id: "new", title: "in NEW", width: "4.6rem", wide: true,
		    cell: (d) => exactPercent(d.new) },
		{ id: "functions", title: "functions", width: "4.4rem",
		    wide: true, cell: (d) => digits(d.functions) },
		{ id: "group", title: "group", left: true,
		    width: "minmax(0, 1fr)", cell: (d) => element("span",
		    { class: "mono", title: visible(d.name, 2000) + ": " +
			words.filter((w) => d.words[w]).map((w) =>
			`${digits(d.words[w])} ${w}`).join(", ") },
			visible(d.name, 400)) },
	];
}

/**
 * @param {Change[]} changes
 * @param {string[]} words
 */
function driftPanel(changes, words) {
	const usual = haveFiles(changes).most ? "file" : "namespace";
	const byFile = () => view.get("by", usual) === "file";
	/** @type {Record<string, Drift[]>} */
	const made = {};
	const table = new Table("Drift", driftColumns(() =>
	    made[view.get("by", usual)], words), {
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
