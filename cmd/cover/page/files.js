/* The table of files: a tree of folders, or a list. */

/**
 * @typedef {object} Entry a file or a folder
 * @property {string} name
 * @property {string} path
 * @property {number} depth
 * @property {number[]} sum
 * @property {Part} patch lines of the patch
 * @property {FileData} [file]
 * @property {Map<string, Entry>} below
 */

/**
 * @param {string} name
 * @param {string} path
 * @returns {Entry}
 */
function folderNode(name, path) {
	return { name, path, depth: 0, sum: sumOf([]),
		patch: { size: 0, covered: 0 }, below: new Map() };
}

/**
 * @param {FileData} file
 * @param {Part} [patch]
 * @returns {Entry}
 */
function fileNode(file, patch = { size: 0, covered: 0 }) {
	return { ...folderNode(file.path, file.path), sum: file.sum, patch,
		file };
}

/**
 * @param {Entry[]} files
 * @returns {Entry} the folder of all
 */
function treeOf(files) {
	const root = folderNode("", "");

	for (const file of files) {
		const names = file.path.split("/"), last = names.pop() || "";
		let at = root;

		for (const name of names) {
			let next = at.below.get(name + "/");

			if (next === undefined) {
				next = folderNode(name + "/", at.path + name +
				    "/");
				at.below.set(name + "/", next);
			}
			next.sum = sumOf([next, file]);
			next.patch.size += file.patch.size;
			next.patch.covered += file.patch.covered;
			at = next;
		}
		at.below.set(last, { ...file, name: last });
	}
	return root;
}

/** @type {Record<string, (node: Entry) => number | string>} */
const fileKeys = {
	file: (n) => n.path,
	missed: (n) => {
		const { size, covered } = partOf(n.sum, "lines");

		return size - covered;
	},
	patch: (n) => coveredShare(n.patch),
};

for (const kind of /** @type {Kind[]} */ (Object.keys(kinds)))
	fileKeys[kind] = (n) => coveredShare(partOf(n.sum, kind));

/** @param {Entry[]} nodes */
function sortedNodes(nodes) {
	const sorted = view.get("sort", "file");
	const key = fileKeys[sorted.replace("-", "")] || fileKeys.file;
	const sign = sorted[0] === "-" ? -1 : 1;

	return nodes.map((n) => ({ n, k: key(n) })).sort((a, b) => sign *
	    (a.k < b.k ? -1 : a.k > b.k ? 1 : 0)).map(({ n }) => n);
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
		let name = node.name;

		while (node.file === undefined && node.below.size === 1) {
			const only = [...node.below.values()][0];

			if (only.file !== undefined)
				break;
			node = only;
			name += node.name;
		}
		return { ...node, name, depth };
	});

	return sortedNodes(below).flatMap((node) => [node,
		...(closed.has(node.path) ? [] :
		    treeRows(node, closed, depth + 1))]);
}

/**
 * A column of covered parts.
 * @param {string} id
 * @param {string} title
 * @param {(node: Entry) => Part} part
 * @param {boolean} wide
 * @returns {Column<Entry>}
 */
function partColumn(id, title, part, wide) {
	return { id, title, width: "5.2rem", wide, cell: (node) => {
		const { size, covered } = part(node);

		return element("span", { title: `${digits(covered)} of ` +
		    digits(size) }, coveredText({ size, covered }));
	}, part: (node) => coveredShare(part(node)) % 2 };
}

/**
 * @param {Coverage} coverage
 * @param {Set<string>} closed
 */
function fileColumns(coverage, closed) {
	/** @type {Column<Entry>[]} */
	const columns = [{ id: "file", title: "file", left: true,
		width: "minmax(0, 1fr)", cell: (node) => element("span",
		    { class: "mono path", "--depth": node.depth,
			title: visible(node.path, 2000) },
		    (node.file !== undefined ? "" : closed.has(node.path) ?
			"▸ " : "▾ ") + visible(node.name, 400)) }];

	if (coverage.index.patch)
		columns.push(partColumn("patch", "patch", (n) => n.patch,
		    false));
	columns.push(partColumn("lines", "lines", (n) => partOf(n.sum,
	    "lines"), false), { id: "missed", title: "missed", width: "5.2rem",
		cell: (n) => digits(Number(fileKeys.missed(n))) });
	for (const [kind, title] of kindTitles)
		if (kind !== "lines" && kind !== "instances" &&
		    partOf(coverage.sum, kind).size !== 0)
			columns.push(partColumn(kind, title, (n) => partOf(
			    n.sum, kind), true));
	return columns;
}

/**
 * Whether the words of the view ask for a file: by its path, or by a function.
 * @param {Coverage} coverage
 * @returns {(file: FileData) => boolean}
 */
function fileFilter(coverage) {
	const wanted = view.get("q"), matches = matcher(wanted);
	const patch = view.get("only") === "patch";
	const having = new Set(wanted === "" ? [] : coverage.functions.filter(
	    (f) => matches(f.name.toLowerCase())).map((f) => f.file));

	return (file) => (!patch || file.changed.length !== 0) &&
	    (wanted === "" || having.has(file) ||
		matches(file.path.toLowerCase()));
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
		    [...Object.keys(kinds), "file", "patch"]),
		empty: "No file matches." });
	const draw = () => {
		const files = coverage.files.filter(fileFilter(coverage)).map(
		    (file) => fileNode(file, coverage.changed.get(file)));

		count.textContent = `${digits(files.length)} of ` +
		    counted(coverage.files.length, "file");
		table.show(view.get("as") === "list" ? sortedNodes(files) :
		    treeRows(treeOf(files), closed, 0), view.get("sort",
		    "file"));
	};
	const made = panel("files", "Files", element("div", { class: "row" },
	    wordField("q", "Search files and functions",
		"path or function, or a pattern with * and ?"),
	    choice("Order", [["", "folders"], ["list", "list"]],
		() => view.get("as"), (as) => view.set({ as })),
	    ...(!coverage.index.patch ? [] : [choice("Lines", [["", "all lines"],
		["patch", "patch"]], () => view.get("only"), (only) =>
		    view.set({ only }))])), table.root);

	table.root.id = "files-table";
	made.children[0].append(count);
	view.on(["q", "sort", "as", "only"], draw);
	draw();
	return made;
}
