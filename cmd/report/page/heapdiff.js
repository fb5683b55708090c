/* Two heap profiles compared: contexts, and what grew or shrank, as a graph. */

/**
 * @typedef {object} ContextChange
 * @property {string} state
 * @property {{a: Count, b: Count}} bytes
 * @property {{a: Count, b: Count}} count
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
		this.a = 0;
		this.b = 0;
	}

	/** From -1, all is gone, to 1, all is new. */
	get drift() {
		return this.a + this.b === 0 ? 0 : (this.b - this.a) /
		    (this.a + this.b);
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
 * @param {string} width both, a or b
 */
function diffTree(rows, names, field, reversed, width) {
	const root = new DiffNode("all", null);

	for (const c of rows) {
		const a = Number(c[field].a), b = Number(c[field].b);
		const value = width === "a" ? a : width === "b" ? b : a + b;
		const frames = reversed ? c.frames : [...c.frames].reverse();
		let node = root;

		for (let i = -1; i < frames.length; i++) {
			if (i >= 0)
				node = diffChild(node, names[frames[i]]);
			node.value += value;
			node.a += a;
			node.b += b;
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
		const { a, b } = /** @type {DiffNode} */ (node);
		const text = this.measure === "count" ? digits : bytes;
		const change = b - a;

		return `${visible(node.name, 600)}: ${text(a)} in A, ` +
		    `${text(b)} in B, ${change < 0 ? "-" : "+"}` +
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
		choice("Widths", [["both", "A and B"], ["a", "A"],
		    ["b", "B"]], () => view.get("width", "both"), (width) =>
		    view.set({ width, zoom: "" }))],
	    "Red has grown from A to B, blue has shrunk, the more the " +
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
	return Number(c.bytes.b) - Number(c.bytes.a);
}

/** @param {ContextChange} c */
function contextChange(c) {
	const drift = contextDrift(c);

	return (drift < 0 ? "-" : drift > 0 ? "+" : "") +
	    bytes(Math.abs(drift));
}

/** @param {ContextChange} c */
function contextWord(c) {
	const drift = contextDrift(c);

	return c.state !== "changed" ? c.state : drift > 0 ? "more" :
	    drift < 0 ? "less" : "same";
}

/** @type {Record<string, (a: ContextChange, b: ContextChange) => number>} */
const contextOrders = {
	change: (x, y) => Math.abs(contextDrift(x)) - Math.abs(contextDrift(y)),
	a: (x, y) => compareCounts(x.bytes.a, y.bytes.a),
	b: (x, y) => compareCounts(x.bytes.b, y.bytes.b),
	countA: (x, y) => compareCounts(x.count.a, y.count.a),
	countB: (x, y) => compareCounts(x.count.b, y.count.b),
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
		{ id: "a", title: "bytes in A", width: "7rem", wide: true,
		    cell: (c) => digits(c.bytes.a) },
		{ id: "b", title: "bytes in B", width: "7rem", wide: true,
		    cell: (c) => digits(c.bytes.b) },
		{ id: "countA", title: "allocs in A", width: "6rem",
		    wide: true, cell: (c) => digits(c.count.a) },
		{ id: "countB", title: "allocs in B", width: "6rem",
		    wide: true, cell: (c) => digits(c.count.b) },
		{ id: "state", title: "state", width: "3.4rem", left: true,
		    cell: (c) => element("span", { class: contextWord(c) },
			contextWord(c)) },
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
		["context", "state", "bytes A", "bytes B", "allocations A",
		    "allocations B"],
		(c) => [contextPath(c, names), contextWord(c),
		    String(c.bytes.a), String(c.bytes.b), String(c.count.a),
		    String(c.count.b)])), table.root, element("p",
	    { class: "hint" }, "Select a context to zoom to it."));
	made.children[0].append(count);
	view.on(["site", "contexts"], draw);
	draw();
	return made;
}

/**
 * @param {Subject} s
 * @param {ContextChange[]} rows
 * @param {string[]} names
 */
function heapComparison(s, rows, names) {
	const changes = rows.map((c) => ({ word: contextWord(c),
		a: Number(c.bytes.a) / (s.bytes.a || 1),
		b: Number(c.bytes.b) / (s.bytes.b || 1) }));
	const parts = [{ word: "overlap", records: digits(s.common),
		a: s.overlap, b: s.overlap }];

	for (const word of ["more", "less", "same"]) {
		const of = changes.filter((c) => c.word === word);

		if (of.length !== 0)
			parts.push({ word, records: digits(of.length),
				a: of.reduce((n, c) => n + c.a, 0),
				b: of.reduce((n, c) => n + c.b, 0) });
	}
	const made = panel("heap", `Heap: ${exactPercent(s.overlap)} overlap`,
	    verdictList(s), element("div", { class: "columns" },
	    sidesTable(s, [["contexts", digits(s.contexts.a),
		digits(s.contexts.b)], ["bytes", digits(s.bytes.a),
		digits(s.bytes.b)]]),
	    partTable([...parts, ...oneSidedRows(s)], "contexts", "bytes",
		undefined)));

	return rows.length === 0 ? [made] : [made,
		diffFlamePanel(rows, names), contextsPanel(rows, names)];
}
