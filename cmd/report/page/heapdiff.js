/* Two heap profiles compared: contexts, and what grew or shrank, as a graph. */

/**
 * @typedef {object} ContextChange
 * @property {string} state
 * @property {{old: Count, new: Count}} bytes
 * @property {{old: Count, new: Count}} count
 * @property {number[]} frames numbers of names, the one that allocates first
 */

/** A node of a tree of two profiles; its value is that of both, or of one. */
class DiffNode extends FlameNode {
	/**
	 * @param {string} name
	 * @param {DiffNode | null} parent
	 */
	constructor(name, parent) {
		super(name, parent, null);
		this.old = 0;
		this.new = 0;
	}

	/** From -1, all is gone, to 1, all is new. */
	get drift() {
		return this.old + this.new === 0 ? 0 : (this.new - this.old) /
		    (this.old + this.new);
	}

	get kind() {
		return this.drift > 0 ? "more" : this.drift < 0 ? "less" :
		    "even";
	}
}

/**
 * @param {ContextChange[]} rows
 * @param {string[]} names
 * @param {"bytes" | "count"} field
 * @param {boolean} reversed
 * @param {string} width both, old or new
 */
function diffTree(rows, names, field, reversed, width) {
	const root = new DiffNode("all", null);

	for (const c of rows) {
		const a = Number(c[field].old), b = Number(c[field].new);
		const value = width === "old" ? a : width === "new" ? b : a + b;
		const frames = reversed ? c.frames : [...c.frames].reverse();
		let node = root;

		for (let i = -1; i < frames.length; i++) {
			if (i >= 0)
				node = diffChild(node, names[frames[i]]);
			node.value += value;
			node.old += a;
			node.new += b;
			node.contexts++;
		}
	}
	return root;
}

/**
 * @param {DiffNode} node
 * @param {string} name
 */
function diffChild(node, name) {
	let child = node.children.get(name);

	if (child === undefined) {
		child = new DiffNode(name, node);
		node.children.set(name, child);
	}
	return /** @type {DiffNode} */ (child);
}

/** A flame graph of two profiles: red has grown, blue has shrunk. */
class DiffFlame extends Flame {
	/**
	 * @param {ContextChange[]} rows
	 * @param {string[]} names
	 * @param {HTMLElement} where
	 * @param {HTMLElement} status
	 */
	constructor(rows, names, where, status) {
		super({ frames: [], contexts: [] }, names, where, status);
		this.rows = rows;
	}

	get measure() {
		return view.get("weight") === "count" ? "count" : "bytes";
	}

	get root() {
		const reversed = view.get("callers") !== "";
		const width = view.get("width", "both");
		const key = `${this.measure} ${reversed} ${width}`;
		let tree = this.trees.get(key);

		if (tree === undefined) {
			tree = diffTree(this.rows, this.names, this.measure ===
			    "count" ? "count" : "bytes", reversed, width);
			this.trees.set(key, tree);
		}
		return tree;
	}

	/** @param {FlameNode} node */
	describe(node) {
		const both = /** @type {DiffNode} */ (node);
		const a = both.old, b = both.new;
		const text = this.measure === "count" ? digits : bytes;
		const change = b - a;

		return `${visible(node.name, 600)}: ${text(a)} in OLD, ` +
		    `${text(b)} in NEW, ${change < 0 ? "-" : "+"}` +
		    text(Math.abs(change)) + (a === 0 || change === 0 ? "" :
		    ` (${points(change / a)})`) +
		    `, ${counted(node.contexts, "context")}`;
	}

	/**
	 * @param {FlameNode} node
	 * @returns {Attributes}
	 */
	paint(node) {
		const { drift } = /** @type {DiffNode} */ (node);

		return { "--drift": Math.round(100 * Math.abs(drift)) + "%" };
	}
}

/**
 * @param {ContextChange[]} rows
 * @param {string[]} names
 */
function diffFlamePanel(rows, names) {
	const status = element("p", { class: "hint flame-status",
		role: "status" });
	const where = element("div", { class: "flame-box" });
	const flame = new DiffFlame(rows, names, where, status);
	const made = flamePanel(flame, "What grew and what shrank",
	    [["bytes", "bytes"], ["count", "allocations"]], [
		choice("Widths", [["both", "both"], ["old", "OLD"],
		    ["new", "NEW"]], () => view.get("width", "both"), (width) =>
		    view.set({ width, zoom: "" }))],
	    "Red has grown from OLD to NEW, blue has shrunk, the more the " +
	    "stronger the colour is. A box is as wide as what was allocated " +
	    "below it in both, or in one.");

	view.on(["width"], () => flame.draw());
	return made;
}

/**
 * @param {ContextChange} c
 * @param {string[]} names
 */
function contextPath(c, names) {
	return c.frames.map((i) => names[i]).join(" < ");
}

/** @param {ContextChange} c */
function contextDrift(c) {
	return Number(c.bytes.new) - Number(c.bytes.old);
}

/** @param {ContextChange} c */
function contextChange(c) {
	const drift = contextDrift(c);

	return (drift < 0 ? "-" : drift > 0 ? "+" : "") +
	    bytes(Math.abs(drift));
}

/** @param {ContextChange} c */
function contextRatio(c) {
	return Number(c.bytes.old) === 0 ? undefined : Number(c.bytes.new) /
	    Number(c.bytes.old);
}

/** @type {Record<string, (a: ContextChange, b: ContextChange) => number>} */
const contextOrders = {
	change: (x, y) => Math.abs(contextDrift(x)) - Math.abs(contextDrift(y)),
	old: (x, y) => compareCounts(x.bytes.old, y.bytes.old),
	new: (x, y) => compareCounts(x.bytes.new, y.bytes.new),
	ratio: (x, y) => (contextRatio(x) ?? Infinity) -
	    (contextRatio(y) ?? Infinity) || 0,
	countOld: (x, y) => compareCounts(x.count.old, y.count.old),
	countNew: (x, y) => compareCounts(x.count.new, y.count.new),
};

/**
 * @param {ContextChange[]} rows
 * @param {string[]} names
 */
function contextColumns(rows, names) {
	const top = rows.reduce((n, c) => Math.max(n,
	    Math.abs(contextDrift(c))), 0) || 1;
	/** @type {Column<ContextChange>[]} */
	const columns = [
		{ id: "change", title: "change", width: "6rem",
		    cell: contextChange,
		    part: (c) => Math.abs(contextDrift(c)) / top },
		{ id: "old", title: "bytes in OLD", width: "7rem", wide: true,
		    cell: (c) => digits(c.bytes.old) },
		{ id: "new", title: "bytes in NEW", width: "7rem", wide: true,
		    cell: (c) => digits(c.bytes.new) },
		{ id: "countOld", title: "allocs in OLD", width: "6rem",
		    wide: true, cell: (c) => digits(c.count.old) },
		{ id: "countNew", title: "allocs in NEW", width: "6rem",
		    wide: true, cell: (c) => digits(c.count.new) },
		{ id: "ratio", title: "ratio", width: "4rem", wide: true,
		    cell: (c) => ratioText(contextRatio(c)) },
		{ id: "state", title: "state", width: "6.4rem", left: true,
		    cell: (c) => stateCell(c.state) },
		{ id: "path", title: "context", left: true,
		    width: "minmax(0, 1fr)", cell: (c) => element("span",
		    { class: "mono", title: visible(contextPath(c, names),
			4000) }, visible(contextPath(c, names), 600)) },
	];

	return columns;
}

/**
 * @param {ContextChange[]} contexts
 * @param {string[]} names
 */
function contextsPanel(contexts, names) {
	let rows = contexts;
	const count = element("span", { class: "hint", role: "status" });
	const table = new Table("Contexts", contextColumns(contexts, names), {
		choose: (c) => view.set({ zoom: JSON.stringify([...c.frames]
		    .reverse().map((i) => names[i])), callers: "" }),
		sort: (column) => sortBy("contexts", column, "-change", []),
		empty: "No context matches." });
	const draw = () => {
		const wanted = view.get("site");
		const sorted = view.get("contexts", "-change");
		const order = contextOrders[sorted.replace("-", "")] ||
		    contextOrders.change;
		const matches = matcher(wanted);

		rows = contexts.filter((c) => wanted === "" || matches(
		    contextPath(c, names).toLowerCase()));
		rows.sort(sorted[0] === "-" ? (x, y) => order(y, x) : order);
		count.textContent = `${digits(rows.length)} of ` +
		    counted(contexts.length, "context");
		table.show(rows, sorted);
	};

	table.root.id = "contexts-table";
	const made = panel("contexts", "Contexts", element("div",
	    { class: "row" }, wordField("site", "Search contexts",
		"function, or a pattern with * and ?"),
	    ...saveButtons("contexts", () => rows, (c) => ({ ...c,
		frames: c.frames.map((i) => names[i]) }),
		["context", "state", "old bytes", "new bytes",
		    "old allocations", "new allocations"],
		(c) => [contextPath(c, names), c.state,
		    String(c.bytes.old), String(c.bytes.new), String(c.count.old),
		    String(c.count.new)])), table.root, element("p",
	    { class: "hint" }, "Select a context to zoom to it."));
	made.children[0].append(count);
	view.on(["site", "contexts"], draw);
	draw();
	return made;
}

/**
 * @param {Comparison} c
 * @param {string[]} names
 */
function heapComparison(c, names) {
	const s = c.subject, rows = /** @type {ContextChange[]} */ (c.rows);
	const made = panel("heap", `Heap: ${exactPercent(s.overlap)} overlap`,
	    verdictList(s), element("div", { class: "columns" },
	    sidesTable(s, [["contexts", digits(s.contexts.old),
		digits(s.contexts.new)], ["bytes", digits(s.bytes.old),
		digits(s.bytes.new)]]),
	    partTable(c, "contexts", "bytes", undefined)));

	return rows.length === 0 ? [made] : [made,
		diffFlamePanel(rows, names), contextsPanel(rows, names)];
}
