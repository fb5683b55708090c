/* The table of files, below their folders. */

/**
 * @typedef {object} Entry a file or a folder
 * @property {string} name
 * @property {string} path
 * @property {number} depth
 * @property {number[]} sum
 * @property {FileData} [file]
 * @property {Map<string, Entry>} below
 */

/**
 * @param {FileData[]} files
 * @returns {Entry} the folder of all
 */
function treeOf(files) {
	const folder = (/** @type {string} */ name, /** @type {string} */ path) =>
	    ({ name, path, depth: 0, sum: sumOf([]), below: new Map() });
	/** @type {Entry} */
	const root = folder("", "");

	for (const file of files) {
		let at = root;

		/* Names of folders end with their slash. */
		for (const name of file.path.split(/(?<=\/)/)) {
			const next = at.below.get(name) || folder(name,
			    at.path + name);

			next.sum = sumOf([next, file]);
			at.below.set(name, next);
			at = next;
		}
		at.file = file;
	}
	return root;
}

/** @param {Entry[]} nodes */
function sortedNodes(nodes) {
	const sorted = view.get("sort", "file"), by = sorted.replace("-", "");
	const sign = sorted[0] === "-" ? -1 : 1;
	const key = (/** @type {Entry} */ { path, sum }) => {
		if (by === "missed")
			return missedLines(sum);
		if (!(by in kinds))
			return path;
		const { size, covered } = partOf(sum, /** @type {Kind} */ (by));
		/* What has no parts is behind all others. */
		return size === 0 ? 2 : covered / size;
	};

	return nodes.map((n) => ({ n, k: key(n) })).sort((a, b) => sign *
	    (a.k < b.k ? -1 : a.k > b.k ? 1 : 0)).map(({ n }) => n);
}

/** @param {number[]} sum */
function missedLines(sum) {
	const { size, covered } = partOf(sum, "lines");

	return size - covered;
}

/**
 * What is below a folder, sorted; folders with nothing but one are one row.
 * @param {Entry} folder
 * @param {Set<string>} closed paths
 * @param {number} depth
 * @returns {Entry[]}
 */
function treeRows(folder, closed, depth) {
	const below = [...folder.below.values()].map((node) => {
		let name = node.name, only = [...node.below.values()];

		while (only.length === 1 && only[0].file === undefined) {
			node = only[0];
			name += node.name;
			only = [...node.below.values()];
		}
		return { ...node, name, depth };
	});

	return sortedNodes(below).flatMap((node) => [node,
		...(closed.has(node.path) ? [] :
		    treeRows(node, closed, depth + 1))]);
}

/**
 * @param {Coverage} coverage
 * @param {Set<string>} closed
 * @returns {Column<Entry>[]}
 */
function fileColumns(coverage, closed) {
	const total = sumOf(coverage.files);
	/** @type {Column<Entry>[]} */
	const columns = kindTitles.filter(([kind]) => kind === "lines" ||
	    partOf(total, kind).size !== 0).map(([kind, title]) => ({
		id: kind, title, width: "5.2rem",
		wide: kind !== "lines" && kind !== "patch",
		cell: (node) => {
			const part = partOf(node.sum, kind);

			return element("span", { title:
				`${digits(part.covered)} of ` +
				digits(part.size) }, coveredText(part));
		}, part: (node) => {
			const { size, covered } = partOf(node.sum, kind);

			return size === 0 ? 0 : covered / size;
		} }));

	return [{ id: "file", title: "file", left: true,
		width: "minmax(0, 1fr)", cell: (node) => element("span",
		    { class: "mono path", "--depth": node.depth,
			title: visible(node.path, 2000) },
		    (node.file !== undefined ? "" : closed.has(node.path) ?
			"▸ " : "▾ ") + visible(node.name, 400)) },
	    { id: "missed", title: "missed", width: "5.2rem",
		cell: (node) => digits(missedLines(node.sum)) }, ...columns];
}

/**
 * The files that the words of the view ask for: by path, or by a function.
 * @param {Coverage} coverage
 */
function chosenFiles(coverage) {
	const wanted = view.get("q"), matches = matcher(wanted);
	const patch = view.get("only") === "patch";
	const having = new Set(coverage.functions.filter((f) =>
	    matches(f.name.toLowerCase())).map((f) => f.file));

	return coverage.files.filter((file) => (!patch ||
	    file.changed.length !== 0) && (having.has(file) ||
		matches(file.path.toLowerCase())));
}

/** @param {Coverage} coverage */
function filesPanel(coverage) {
	/** @type {Set<string>} */
	const closed = new Set();
	const count = element("span", { class: "hint", role: "status" });
	const table = new Table("Files", fileColumns(coverage, closed), {
		choose: (node) => {
			if (node.file !== undefined) {
				view.set({ file: node.path, line: "" });
				return;
			}
			if (!closed.delete(node.path))
				closed.add(node.path);
			draw();
		}, sort: (column) => sortBy("sort", column, "file",
		    [...Object.keys(kinds), "file"]),
		empty: "No file matches." });
	const draw = () => {
		const files = chosenFiles(coverage);

		count.textContent = `${digits(files.length)} of ` +
		    counted(coverage.files.length, "file");
		table.show(treeRows(treeOf(files), closed, 0), view.get("sort",
		    "file"));
	};
	const made = panel("files", "Files", element("div", { class: "row" },
	    wordField("q", "Search files and functions",
		"path or function, or a pattern with * and ?"),
	    ...(!coverage.index.patch ? [] : [choice("Lines", [["", "all lines"],
		["patch", "patch"]], () => view.get("only"), (only) =>
		    view.set({ only }))])), table.root);

	table.root.id = "files-table";
	made.children[0].append(count);
	view.on(["q", "sort", "only"], draw);
	draw();
	return made;
}
