/* Flame graphs: boxes of functions, as wide as their part of the total. */

const flameRow = 19;

/**
 * @typedef {object} FlameBox
 * @property {FlameNode} node
 * @property {number} x
 * @property {number} w
 * @property {number} row from the top
 * @property {boolean} above it stands on its parent
 */

/**
 * Boxes that are wide enough to be seen, below a node that fills the width; those
 * of its callers fill it too.
 * @param {FlameNode} node
 * @param {number} width
 * @returns {{node: FlameNode, x: number, w: number}[]}
 */
function flameBoxes(node, width) {
	const boxes = [];

	for (let up = node.parent; up !== null; up = up.parent)
		boxes.push({ node: up, x: 0, w: width });
	/** @type {{node: FlameNode, x: number, w: number}[]} */
	const open = [{ node, x: 0, w: width }];

	for (let box = open.pop(); box !== undefined; box = open.pop()) {
		boxes.push(box);
		let x = box.x;

		for (const child of box.node.sorted) {
			const w = box.w * child.value / box.node.value;

			if (w < 0.8)
				break;
			open.push({ node: child, x, w });
			x += w;
		}
	}
	return boxes;
}

/**
 * The part of the total below nodes that match, each counted once.
 * @param {FlameNode} root
 * @param {(name: string) => boolean} matches
 * @param {Set<FlameNode>} found
 */
function findFrames(root, matches, found) {
	let sum = 0;
	/** @type {{node: FlameNode, inside: boolean}[]} */
	const open = [{ node: root, inside: false }];

	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		const hit = at.node.parent !== null &&
		    matches(at.node.name.toLowerCase());

		if (hit)
			found.add(at.node);
		if (hit && !at.inside)
			sum += at.node.value;
		for (const child of at.node.children.values())
			open.push({ node: child, inside: at.inside || hit });
	}
	return sum;
}

/** A flame graph, or an icicle, with what its reader has chosen of it. */
class Flame {
	/**
	 * @param {Heap} heap
	 * @param {string[]} names
	 * @param {HTMLElement} where
	 * @param {HTMLElement} status
	 */
	constructor(heap, names, where, status) {
		this.heap = heap;
		this.names = names;
		this.where = where;
		this.status = status;
		this.width = 0;
		/** @type {Map<string, FlameNode>} */
		this.trees = new Map();
		this.searched = "";
		/** @type {FlameNode | null} */
		this.focused = null;
		where.addEventListener("keydown", (e) => this.key(e));
	}

	get measure() {
		const known = knownMeasures(this.heap);
		const wanted = view.get("weight", "bytes");

		return known.includes(wanted) ? wanted : known[0] || "bytes";
	}

	/** The search that contexts have to match, if only these are shown. */
	get through() {
		return view.get("only") === "" ? "" : view.get("frame");
	}

	/** @param {boolean} reversed the children of a node are its callers */
	tree(reversed) {
		const key = [this.measure, reversed].join("\n");

		/* A tree for each letter of a search is not kept. */
		if (this.through !== this.searched)
			this.trees.clear();
		this.searched = this.through;
		let tree = this.trees.get(key);

		if (tree === undefined) {
			tree = flameTree(this.heap, this.names,
			    measures[this.measure].field, reversed,
			    this.through);
			this.trees.set(key, tree);
		}
		return tree;
	}

	get root() {
		return this.tree(view.get("callers") !== "");
	}

	/** The value of all contexts, as of the measure. */
	get whole() {
		const { field } = measures[this.measure];

		return this.heap.contexts.reduce((n, c) => n +
		    infoNumber(c, field), 0);
	}

	/**
	 * @param {number} matching frames
	 * @param {number} sum of the contexts that they are in
	 * @param {FlameNode} root
	 */
	found(matching, sum, root) {
		const whole = this.through === "" ? root.value : this.whole;

		return `${counted(matching, "frame")} match` +
		    `${matching === 1 ? "es" : ""}, ` +
		    `${percent(sum / (whole || 1))} of all ` +
		    measures[this.measure].title;
	}

	/** The node that the view has zoomed to, as far as it is there. */
	get zoomed() {
		let node = this.root;

		try {
			for (const name of JSON.parse(view.get("zoom", "[]")))
				node = node.children.get(String(name)) || node;
		} catch { /* a link of someone else */ }
		return node;
	}

	/** @param {FlameNode} node */
	zoom(node) {
		view.set({ zoom: node.parent === null ? "" :
		    JSON.stringify(node.path) });
	}

	/** @param {FlameNode} node */
	describe(node) {
		const m = measures[this.measure];
		const cold = node.classes[heapClasses.indexOf("cold")] /
		    (node.value || 1);
		const value = m.mean === undefined ? node.value :
		    node.value / (node.allocations || 1);

		return `${visible(node.name, 600)}: ${m.text(value)}` +
		    ` ${m.title === "bytes" ? "" : m.mean || m.title}`
			.trimEnd() +
		    `, ${percent(node.value / (this.root.value || 1))}` +
		    `, ${counted(node.contexts, "context")}` +
		    `, ${percent(cold)} cold` + (node.frame === null ||
		    framePlace(node.frame) === "" ? "" : ", " +
		    visible(framePlace(node.frame), 300));
	}

	/**
	 * Where boxes stand, and which row is to be seen first.
	 * @param {FlameNode} root
	 * @returns {{boxes: FlameBox[], rows: number, first: number}}
	 */
	layout(root) {
		const boxes = root.value === 0 ? [] : flameBoxes(this.zoomed,
		    this.width);
		const deepest = boxes.reduce((n, b) => Math.max(n,
		    b.node.depth), 0);
		const icicle = view.get("shape", "icicle") === "icicle";

		return { rows: deepest + 1, first: icicle ? 0 : deepest,
			boxes: boxes.map((box) => ({ ...box, above: !icicle,
			    row: icicle ? box.node.depth :
				deepest - box.node.depth })) };
	}

	draw() {
		if (this.width === 0)
			return;
		const root = this.root, zoomed = this.zoomed;
		const search = view.get("frame");
		const found = new Set();
		const sum = search === "" ? 0 : findFrames(root,
		    matcher(search), found);
		const { boxes, rows, first } = this.layout(root);
		const height = rows * flameRow;
		const picture = svg("svg", { class: "chart flame", height,
			width: this.width, role: "tree", tabindex: 0,
			viewBox: `0 0 ${this.width} ${height}`,
			"aria-label": "Contexts by " +
			    measures[this.measure].title });

		for (const box of boxes)
			picture.append(this.box(box, search === "" ?
			    undefined : found.has(box.node) ||
			    (this.through === "" ? false : undefined)));
		this.where.replaceChildren(picture);
		if (first !== 0)
			this.where.scrollTop = (first + 1) * flameRow -
			    this.where.clientHeight / (first < rows - 1 ? 2 : 1);
		this.total = search === "" ? this.describe(zoomed) :
		    this.found(found.size, sum, root);
		this.status.textContent = this.total;
	}

	/**
	 * @param {FlameBox} box
	 * @param {boolean | undefined} hit of the search, if there is one
	 */
	box({ node, x, w, row, above }, hit) {
		const y = row * flameRow;
		const text = this.describe(node);
		const made = svg("g", { class: "frame " + node.kind +
			(above ? " above" : "") +
			(hit === undefined ? "" : hit ? " hit" : " miss"),
			role: "treeitem", "aria-label": text,
			"aria-level": node.depth + 1,
			onclick: () => this.zoom(node),
			onpointerenter: () => {
				this.status.textContent = text;
			},
			onpointerleave: () => {
				this.status.textContent = this.total || "";
			} },
		    svg("rect", { x, y, width: Math.max(0.5, w - 0.5),
			height: flameRow - 1, rx: 2, ...this.paint(node) }));

		if (w > 24)
			made.append(svg("text", { x: x + 4, y: y + 13 },
			    fitText(visible(node.name, 300), w - 6)));
		made.append(svg("title", {}, text));
		/** @type {any} */ (made).node = node;
		return made;
	}

	/**
	 * Neighbours of one class differ a little, always in the same way.
	 * @param {FlameNode} node
	 * @returns {Attributes} of its box
	 */
	paint(node) {
		let sum = 0;

		for (let i = 0; i < Math.min(64, node.name.length); i++)
			sum = (sum * 31 + node.name.charCodeAt(i)) % 997;
		return { "fill-opacity": (0.8 + 0.2 * (sum % 8) / 7)
		    .toFixed(2) };
	}

	/**
	 * The nodes over and under a node.
	 * @param {FlameNode} node
	 * @returns {[FlameNode, FlameNode]}
	 */
	beyond(node) {
		const outer = node.parent || node;
		const inner = node.sorted[0] || node;

		return view.get("shape", "icicle") === "icicle" ?
		    [outer, inner] : [inner, outer];
	}

	/**
	 * Arrow keys go to caller, callee and neighbours, Enter zooms, Escape
	 * zooms out.
	 * @param {KeyboardEvent} event
	 */
	key(event) {
		const node = this.focused || this.zoomed;
		const beside = node.parent === null ? [node] :
		    node.parent.sorted;
		const at = beside.indexOf(node);
		const [over, under] = this.beyond(node);
		/** @type {Record<string, FlameNode>} */
		const to = { ArrowUp: over, ArrowDown: under,
			ArrowLeft: beside[at - 1] || node,
			ArrowRight: beside[at + 1] || node };

		if (event.key === "Enter")
			this.zoom(node);
		else if (event.key === "Escape")
			this.zoom(this.root);
		else if (event.key in to)
			this.focus(to[event.key]);
		else
			return;
		event.preventDefault();
		this.where.querySelector("svg")?.focus({ preventScroll: true });
	}

	/** @param {FlameNode} node */
	focus(node) {
		this.focused = node;
		this.status.textContent = this.describe(node);
		for (const g of this.where.querySelectorAll(".frame"))
			g.classList.toggle("focused",
			    /** @type {any} */ (g).node === node);
	}
}

/**
 * A panel of a flame graph with what its reader can choose.
 * @param {Flame} flame
 * @param {string} heading
 * @param {[string, string][]} weights value and text
 * @param {HTMLElement[]} choices more of them
 * @param {string} hint
 */
function flamePanel(flame, heading, weights, choices, hint) {
	const made = panel("flame", heading, element("div", { class: "row" },
	    choice("Weight", weights, () => flame.measure, (weight) =>
		view.set({ weight, zoom: "" })), ...choices,
	    choice("Direction", [["", "callees"], ["yes", "callers"]],
		() => view.get("callers"), (callers) => view.set({ callers,
		    zoom: "" })),
	    choice("Shape", [["icicle", "icicle"], ["flame", "flame"]],
		() => view.get("shape", "icicle"), (shape) => view.set({ shape })),
	    wordField("frame", "Search frames",
		"function, or a pattern with * and ?"),
	    element("button", { type: "button", onclick: () =>
		view.set({ zoom: "" }) }, "zoom out")),
	    flame.status, flame.where, element("p", { class: "hint" }, hint +
		" Select a box to zoom in; the arrow keys move, Enter zooms, " +
		"Escape shows all."));

	view.on(["weight", "callers", "shape", "frame", "zoom", "only"], () => {
		flame.focused = null;
		flame.draw();
	});
	onWidth(flame.where, (width) => {
		flame.width = width;
		flame.draw();
	});
	return made;
}
