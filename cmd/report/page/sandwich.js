/* The flame graph of a heap profile: also of one function, as a sandwich. */

/** Callers can stand above the functions that match, and callees below. */
class HeapFlame extends Flame {
	get around() {
		return view.get("only") === "around" && this.through !== "";
	}

	get root() {
		return this.around ? this.tree(false) : super.root;
	}

	get zoomed() {
		return this.around ? this.root.sorted[0] || this.root :
		    super.zoomed;
	}

	/** The first rows that are callers: one function stands there once. */
	get skipped() {
		return this.root.children.size === 1 &&
		    this.tree(true).children.size === 1 ? 1 : 0;
	}

	/** @param {FlameNode} node */
	zoom(node) {
		if (!this.around)
			super.zoom(node);
		else
			view.set(node.parent === null ? { only: "" } :
			    { frame: node.name });
	}

	/** @param {FlameNode} root */
	layout(root) {
		if (!this.around || root.value === 0)
			return super.layout(root);
		const skipped = this.skipped;
		const callers = flameBoxes(this.tree(true), this.width)
		    .filter((box) => box.node.depth > skipped);
		const callees = flameBoxes(root, this.width)
		    .filter((box) => box.node.depth > 0);
		const most = (/** @type {{node: FlameNode}[]} */ boxes) =>
		    boxes.reduce((n, box) => Math.max(n, box.node.depth), 0);
		const first = Math.max(0, most(callers) - skipped);

		return { first, rows: first + most(callees), boxes: [
			...callers.map((box) => ({ ...box, above: true,
			    row: first + skipped - box.node.depth })),
			...callees.map((box) => ({ ...box, above: false,
			    row: first + box.node.depth - 1 }))] };
	}

	/**
	 * @param {FlameNode} node
	 * @returns {[FlameNode, FlameNode]}
	 */
	beyond(node) {
		if (!this.around)
			return super.beyond(node);
		const reversed = this.tree(true);
		const skipped = this.skipped;
		let root = node;

		while (root.parent !== null)
			root = root.parent;
		const inner = node.sorted[0] || node;
		const isCaller = root === reversed;
		const least = isCaller ? 1 + skipped : 1;

		if (node.parent !== null && node.depth > least)
			return isCaller ? [inner, node.parent] :
			    [node.parent, inner];
		if (isCaller)
			return [inner, this.zoomed];
		const caller = reversed.sorted[0];

		return [(skipped === 1 ? caller.sorted[0] : caller) || node,
			inner];
	}
}

/**
 * @param {Heap} heap
 * @param {string[]} names
 */
function heapFlamePanel(heap, names) {
	const flame = new HeapFlame(heap, names, element("div",
	    { class: "flame-box" }), element("p", { class:
		"hint flame-status", role: "status" }));

	return flamePanel(flame, "Who allocates", knownMeasures(heap).map(
	    (m) => [m, measures[m].title]), [choice("Contexts",
	    [["", "all contexts"], ["yes", "from the search on"],
		["around", "around the search"]],
	    () => view.get("only"), (only) => view.set({ only, zoom: "" }))],
	    "A box is as wide as what was allocated below it; its colour is " +
	    "the class of the largest part. From the search on: what was " +
	    "allocated below the functions that match, or by whom they are " +
	    "called. Around the search: callers above these functions, " +
	    "callees below; a selected box is searched next.");
}
