/* Heap contexts, and the trees that flame graphs draw of them. */

/**
 * @typedef {object} HeapFrame as of prof-show --heap --json --stacks
 * @property {string} [function]
 * @property {string} [function_hex]
 * @property {string} [demangled]
 * @property {string} [demangled_hex]
 * @property {string} [guid]
 * @property {string} [file]
 * @property {number} [line]
 * @property {number} [line_offset]
 * @property {number} [column]
 * @property {string} [build_id]
 * @property {Count} [segment]
 * @property {string} [address]
 * @property {boolean} [inline]
 *
 * @typedef {object} HeapContext
 * @property {"warm" | "cold" | "unknown"} class
 * @property {number} site index of the frame that called the allocator
 * @property {number[]} frames leaf first, indices
 * @property {Record<string, Count>} info
 *
 * @typedef {{frames: HeapFrame[], contexts: HeapContext[]}} Heap
 *
 * @typedef {object} Measure
 * @property {string} title
 * @property {string} field of the info
 * @property {(n: number) => string} text
 * @property {string} [mean] title where it is a mean of the allocations
 */

/** @param {number} ms */
function duration(ms) {
	const minutes = ms / 6e4;

	return ms < 999.5 ? Math.round(ms) + " ms" :
	    ms < 999500 ? (ms / 1000).toPrecision(3) + " s" :
	    minutes < 99.95 ? minutes.toPrecision(3) + " min" :
	    minutes < 5997 ? (minutes / 60).toPrecision(3) + " h" :
	    compact(minutes / 1440) + " d";
}

/** @type {Record<string, Measure>} */
const measures = {
	bytes: { title: "bytes", field: "total_size", text: bytes },
	count: { title: "allocations", field: "alloc_count", text: compact },
	lifetime: { title: "lifetime", field: "total_lifetime",
		text: duration, mean: "average lifetime" },
	accesses: { title: "accesses", field: "total_access_count",
		text: compact },
	/* The field has hundredths of accesses a byte. */
	density: { title: "access density", field: "total_access_density",
		text: (n) => (n < 99950 ? (n / 100).toPrecision(3) :
		    compact(n / 100)) + " a byte",
		mean: "average access density" },
};

const heapClasses = ["warm", "cold", "unknown"];

/**
 * @param {HeapContext} c
 * @param {string} field
 */
function infoNumber(c, field) {
	const value = c.info[field];

	return value === undefined ? 0 : Number(value);
}

/**
 * The measures that some context knows.
 * @param {Heap} heap
 */
function knownMeasures(heap) {
	return Object.keys(measures).filter((m) => heap.contexts.some((c) =>
	    c.info[measures[m].field] !== undefined));
}

/**
 * What a frame is called, as heap_put_name of model/heap.h has it.
 * @param {HeapFrame} f
 */
function frameName(f) {
	if (f.demangled !== undefined)
		return f.demangled;
	for (const hex of [f.demangled_hex, f.function_hex])
		if (hex !== undefined)
			return textOfHex(hex);
	if (f.function !== undefined)
		return f.function;
	if (f.guid !== undefined)
		return f.guid;
	if (f.address === undefined)
		return "[unknown]";
	const where = f.build_id !== undefined ? f.build_id.slice(0, 8) + "+" :
	    f.segment !== undefined ? `segment ${f.segment}+` : "";
	return `[${where}${(f.address || "").replace(/^0x0*(?=.)/, "0x")}]`;
}

/** @param {HeapFrame} f */
function framePlace(f) {
	const line = f.line !== undefined ? ":" + f.line :
	    f.line_offset !== undefined ? "+" + f.line_offset : "";

	return (f.file || "") + line;
}

/** A node of a tree: calls by functions of one name in the same context. */
class FlameNode {
	/**
	 * @param {string} name
	 * @param {FlameNode | null} parent
	 * @param {HeapFrame | null} frame the first one of that name
	 */
	constructor(name, parent, frame) {
		this.name = name;
		this.parent = parent;
		this.frame = frame;
		/** @type {number} */
		this.depth = parent === null ? 0 : parent.depth + 1;
		this.value = 0;
		this.contexts = 0;
		this.allocations = 0;
		/** @type {number[]} values by class, as heapClasses */
		this.classes = [0, 0, 0];
		/** @type {Map<string, FlameNode>} */
		this.children = new Map();
	}

	/** The children, the largest first. */
	get sorted() {
		return [...this.children.values()].sort((a, b) =>
		    b.value - a.value || (a.name < b.name ? -1 : 1));
	}

	/** The class of the largest part. */
	get kind() {
		return heapClasses[this.classes.indexOf(Math.max(
		    ...this.classes))];
	}

	/** @returns {string[]} names from below the root */
	get path() {
		return this.parent === null ? [] : [...this.parent.path,
			this.name];
	}
}

/**
 * Callers above callees, or the other way about: reversed, the children of a
 * function are its callers.
 * @param {Heap} heap
 * @param {string[]} names of the frames
 * @param {string} field
 * @param {boolean} reversed
 * @param {string} through a search: stacks begin at the first frame that
 *     matches, those without such a frame are left out; or ""
 */
function flameTree(heap, names, field, reversed, through) {
	const root = new FlameNode("all", null, null);
	const matches = matcher(through);
	const hits = names.map((name) => matches(name.toLowerCase()));

	for (const c of heap.contexts) {
		const value = infoNumber(c, field);
		const frames = c.frames.slice(c.site);
		const kind = heapClasses.indexOf(c.class);
		let node = root;

		if (!reversed)
			frames.reverse();
		const first = through === "" ? 0 : frames.findIndex((f) =>
		    hits[f]);

		if (value === 0 || first < 0)
			continue;
		for (let i = first - 1; i < frames.length; i++) {
			if (i >= first)
				node = childOf(node, names[frames[i]],
				    heap.frames[frames[i]]);
			node.value += value;
			node.contexts++;
			node.allocations += infoNumber(c, "alloc_count");
			node.classes[kind] += value;
		}
	}
	return root;
}

/**
 * @param {FlameNode} node
 * @param {string} name
 * @param {HeapFrame} frame
 */
function childOf(node, name, frame) {
	let child = node.children.get(name);

	if (child === undefined) {
		child = new FlameNode(name, node, frame);
		node.children.set(name, child);
	}
	return child;
}

/**
 * @typedef {object} Site
 * @property {HeapFrame} frame
 * @property {string} name
 * @property {string} place
 * @property {number} contexts
 * @property {Record<string, number>} values by measure
 * @property {number[]} classes bytes by class
 * @property {string} kind the class of most bytes
 * @property {number} share of all bytes
 */

/**
 * The frames that a context counts for: that which allocates, or one of each
 * function on its stack.
 * @param {HeapContext} c
 * @param {string[]} names
 * @param {boolean} inclusive
 */
function rowFrames(c, names, inclusive) {
	if (c.frames.length === 0)
		return [-1];
	if (!inclusive)
		return [c.frames[c.site]];
	return [...new Map(c.frames.slice(c.site).map((f) => [names[f], f]))
	    .values()];
}

/**
 * The contexts by the frame that allocates, those with most bytes first; or by
 * the functions on their stacks, with all that was allocated below these.
 * @param {Heap} heap
 * @param {string[]} names
 * @param {boolean} inclusive
 */
function heapSites(heap, names, inclusive) {
	/** @type {Map<number | string, Site>} */
	const sites = new Map();
	const total = heap.contexts.reduce((n, c) => n +
	    infoNumber(c, "total_size"), 0) || 1;

	for (const c of heap.contexts) {
		for (const at of rowFrames(c, names, inclusive)) {
			const key = inclusive && at >= 0 ? names[at] : at;
			const site = sites.get(key) || newSite(heap, names,
			    at, inclusive);

			sites.set(key, site);
			addContext(site, c);
		}
	}
	for (const site of sites.values()) {
		site.share = site.values.bytes / total;
		site.kind = heapClasses[site.classes.indexOf(Math.max(
		    ...site.classes))];
	}
	return [...sites.values()].sort((a, b) => b.values.bytes -
	    a.values.bytes || (a.name < b.name ? -1 : 1));
}

/**
 * @param {Heap} heap
 * @param {string[]} names
 * @param {number} at index of the frame, or -1
 * @param {boolean} inclusive
 * @returns {Site}
 */
function newSite(heap, names, at, inclusive) {
	const frame = at < 0 ? {} : heap.frames[at];

	return { frame, name: at < 0 ? "[unknown]" : names[at],
		place: inclusive ? frame.file || "" : framePlace(frame),
		contexts: 0, share: 0, kind: "", classes: [0, 0, 0],
		values: Object.fromEntries(Object.keys(measures).map((m) =>
		    [m, 0])) };
}

/**
 * @param {Site} site
 * @param {HeapContext} c
 */
function addContext(site, c) {
	site.contexts++;
	for (const [m, { field }] of Object.entries(measures))
		site.values[m] += infoNumber(c, field);
	site.classes[heapClasses.indexOf(c.class)] +=
	    infoNumber(c, "total_size");
}
