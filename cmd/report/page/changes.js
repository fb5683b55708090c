/* The table of functions whose share has changed. */

/** @type {Record<string, (a: Change, b: Change) => number>} */
const changeOrders = {
	change: (a, b) => Math.abs(a.change) - Math.abs(b.change),
	old: (a, b) => a.old - b.old,
	new: (a, b) => a.new - b.new,
	class: (a, b) => a.word < b.word ? -1 : a.word > b.word ? 1 : 0,
	ratio: (a, b) => (a.data.ratio ?? Infinity) -
	    (b.data.ratio ?? Infinity) || 0,
	countOld: (a, b) => compareCounts(a.data.count.old, b.data.count.old),
	countNew: (a, b) => compareCounts(a.data.count.new, b.data.count.new),
	name: (a, b) => a.label < b.label ? -1 : a.label > b.label ? 1 : 0,
	file: (a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : 0,
};

/**
 * The changes that the words of the view ask for, in their order.
 * @param {Change[]} changes
 */
function chosenChanges(changes) {
	const wanted = view.get("q"), file = view.get("file");
	const classes = view.list("class");
	const sorted = view.get("sort", "-change");
	const order = changeOrders[sorted.replace("-", "")] ||
	    changeOrders.change;
	const matches = matcher(wanted), matchesFile = matcher(file);
	const rows = changes.filter((c) =>
	    (classes.length === 0 || classes.includes(c.word)) &&
	    (file === "" || matchesFile(c.file.toLowerCase())) &&
	    (wanted === "" || searchText(c).split("\n").some(matches)));

	if (sorted !== "-change")
		rows.sort(sorted[0] === "-" ? (a, b) => order(b, a) ||
		    a.rank - b.rank : (a, b) => order(a, b) ||
		    a.rank - b.rank);
	return rows;
}

/** @param {Change[]} changes */
function changeColumns(changes) {
	const top = changes.reduce((n, c) => Math.max(n, Math.abs(c.change)),
	    0) || 1;
	/** @type {Column<Change>[]} */
	const columns = [
		{ id: "change", title: "change", width: "5.4rem",
		    cell: (c) => points(c.change),
		    part: (c) => Math.abs(c.change) / top },
		{ id: "old", title: "in OLD", width: "4.6rem", wide: true,
		    cell: (c) => exactPercent(c.old) },
		{ id: "new", title: "in NEW", width: "4.6rem", wide: true,
		    cell: (c) => exactPercent(c.new) },
		{ id: "class", title: "state", width: "6.4rem", left: true,
		    cell: (c) => stateCell(c.word) },
		{ id: "countOld", title: "count in OLD", width: "7.4rem",
		    wide: true, cell: (c) => digits(c.data.count.old) },
		{ id: "countNew", title: "count in NEW", width: "7.4rem",
		    wide: true, cell: (c) => digits(c.data.count.new) },
		{ id: "ratio", title: "ratio", width: "4rem", wide: true,
		    cell: (c) => ratioText(c.data.ratio) },
		{ id: "name", title: "function", left: true,
		    width: "minmax(0, 1fr)", cell: (c) => element("span",
		    { class: "mono middle", title: visible(c.label, 2000) },
		    ...halves(visible(view.get("names") === "stored" ?
			c.stored : c.label, 400))) },
	];

	if (changes.some((c) => c.file !== ""))
		columns.push({ id: "file", title: "file", left: true,
		    wide: true, width: "minmax(0, 12rem)",
		    cell: (c) => element("span", { class: "mono",
			title: visible(c.file, 2000) },
			visible(c.file, 400)) });
	return columns;
}

/**
 * A button that shows the function in a page of one profile.
 * @param {Change} c
 * @param {"old" | "new"} side
 */
function profileButton(c, side) {
	const hash = side === "old" ? c.data.hash_old : c.data.hash_new;

	const name = side === "old" ? c.oldName : c.stored;

	return hash === undefined ? "" : element("button", { type: "button",
		onclick: () => {
			view.set({ profile: side === "old" ? "0" : "1",
				fn: name + "@" + hash, q: "", class: "",
				sort: "", file: "" });
			location.reload();
		} }, "open in " + side.toUpperCase());
}

/**
 * @param {Change} c
 * @param {number} profiles in the page
 */
function changeDetails(c, profiles) {
	/** @type {[string, string | Node][]} */
	const facts = [["state", stateCell(c.word)],
	    ["share", `${exactPercent(c.old)} in OLD, ` +
		`${exactPercent(c.new)} in NEW`],
	    ["change", points(c.change)],
	    ["counts", `${digits(c.data.count.old)} in OLD, ` +
		`${digits(c.data.count.new)} in NEW`]];

	if (c.data.ratio !== undefined)
		facts.push(["ratio", ratioText(c.data.ratio)]);
	if (c.oldName !== c.stored)
		facts.push(["old name", element("span", { class: "mono" },
		    visible(c.oldName))]);
	if (c.data.overlap !== undefined)
		facts.push(["its overlap", exactPercent(c.data.overlap)]);
	for (const [name, hash] of [["hash in OLD", c.data.hash_old],
	    ["hash in NEW", c.data.hash_new]])
		if (hash !== undefined)
			facts.push([String(name), element("span",
			    { class: "mono" }, hash)]);
	if (c.stored !== c.label)
		facts.push(["stored as", element("span", { class: "mono" },
		    visible(c.stored))]);
	if (c.file !== "")
		facts.push(["file", element("span", { class: "mono" },
		    visible(c.file))]);
	return element("aside", { class: "details", tabindex: -1,
		"aria-label": "Function" },
	    element("div", { class: "row" },
		...(profiles === 2 && c.stored.length <= 200 ?
		    [profileButton(c, "old"),
			profileButton(c, "new")] : []),
		element("span", { class: "space" }),
		element("button", { type: "button", class: "close",
		    "aria-label": "Close the details",
		    onclick: () => view.set({ fn: "" }) }, "×")),
	    element("h2", {}, visible(c.label)), factList(facts));
}

/** @param {() => Change[]} rows */
function saveChanges(rows) {
	return saveButtons("changes", rows, (c) => ({ ...c.data,
		change: c.change }),
	    ["name", "stored", "old name", "file", "state", "change", "old share",
		"new share", "old count", "new count", "ratio", "old hash", "new hash"],
	    (c) => [c.label, c.stored, c.oldName, c.file, c.word, c.change, c.old, c.new,
		String(c.data.count.old), String(c.data.count.new),
		c.data.ratio ?? "",
		c.data.hash_old || "", c.data.hash_new || ""]);
}

/**
 * Shows the details of the function that the view names.
 * @param {Change[]} changes
 * @param {Table<Change>} table
 * @param {HTMLElement} beside
 * @param {number} profiles in the page
 */
function followChange(changes, table, beside, profiles) {
	const draw = () => {
		const key = view.get("fn");
		const c = key === "" ? undefined : changes.find((x) =>
		    x.key === key);

		beside.querySelector(".details")?.remove();
		beside.classList.toggle("open", c !== undefined);
		if (c !== undefined)
			beside.append(changeDetails(c, profiles));
		table.mark(c === undefined ? -1 : table.rows.indexOf(c));
	};

	view.on(["fn"], draw);
	draw();
}

/**
 * @param {Change[]} changes
 * @param {string[]} words
 * @param {number} profiles in the page
 */
function changesPanel(changes, words, profiles) {
	/** @type {Change[]} */
	let rows = [];
	const count = element("span", { class: "hint", role: "status" });
	const there = words.filter((word) => changes.some((c) =>
	    c.word === word));
	const table = new Table("Changes", changeColumns(changes), {
		choose: (c) => view.set({ fn: c.key }),
		sort: (column) => sortBy("sort", column, "-change",
		    ["name", "file"]),
		empty: "No function matches." });
	const beside = element("div", { class: "with-details" }, table.root);
	const draw = () => {
		rows = chosenChanges(changes);
		count.textContent = `${digits(rows.length)} of ` +
		    counted(changes.length, "function");
		table.show(rows, view.get("sort", "-change"));
		table.mark(view.get("fn") === "" ? -1 : rows.findIndex((c) =>
		    c.key === view.get("fn")));
	};

	table.root.id = "changes-table";
	const made = panel("changes", "What has changed",
	    element("div", { class: "row" },
		wordField("q", "Search functions",
		    "name, or a pattern with * and ?"),
		wordField("file", "Search files", "file"),
		classButtons(there, "class"),
		choice("Names", [["", "demangled"], ["stored", "stored"]],
		    () => view.get("names"), (names) => view.set({ names })),
		...saveChanges(() => rows)), beside);
	made.children[0].append(count);
	view.on(["q", "file", "class", "sort", "names"], draw);
	draw();
	followChange(changes, table, beside, profiles);
	return made;
}
