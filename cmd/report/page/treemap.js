/* Where counts are: nested rectangles of folders or namespaces. */

/**
 * @typedef {object} Node_
 * @property {string} name
 * @property {number} size
 * @property {Map<string, Node_>} children
 * @property {Fn} [fn] of a leaf
 * @property {Fn} [hottest]
 */

/**
 * Where the parts of a demangled name begin, the last of which is the function:
 * in int a::b::f<int>(int), those are a, b and f<int>(int).
 * @param {string} label
 */
function partsOfName(label) {
	const starts = [0];
	let depth = 0;

	for (let i = 0; i < label.length; i++) {
		const c = label[i];

		if (c === "(" && depth === 0 &&
		    !label.startsWith("(anonymous namespace)", i))
			break;
		if (c === "<" || c === "(" || c === "[" || c === "{")
			depth++;
		else if (c === ">" || c === ")" || c === "]" || c === "}")
			depth = Math.max(0, depth - 1);
		else if (c === " " && depth === 0 && starts.length === 1 &&
		    label[i - 1] !== ",")
			starts[0] = i + 1;
		else if (c === ":" && label[i + 1] === ":" && depth === 0)
			starts.push(++i + 1);
	}
	return starts;
}

/**
 * The name without its file.
 * @param {{label: string, file: string}} f
 */
function nameInFile(f) {
	return f.file !== "" && f.label.startsWith(f.file) ?
	    f.label.slice(f.file.length + 1) : f.label;
}

/**
 * The groups that a function is in, the outermost first, and its name in them.
 * @param {{label: string, file: string}} f
 * @param {boolean} byFile
 */
function placeOf(f, byFile) {
	const name = nameInFile(f);

	if (byFile)
		return { name, groups: f.file === "" ?
		    ["(no file in the name)"] : f.file.split(/[\/\\]/)
		    .filter((part) => part !== "") };
	const starts = partsOfName(name);
	return { name: name.slice(starts[starts.length - 1]),
		groups: starts.slice(1).map((start, i) =>
		    name.slice(starts[i], start - 2)) };
}

/**
 * @param {string} name
 * @returns {Node_}
 */
function newNode(name) {
	return { name, size: 0, children: new Map() };
}

/**
 * @param {Profile} p
 * @param {boolean} byFile
 */
function mapTree(p, byFile) {
	const root = newNode("");

	for (const f of p.fns) {
		let at = root;

		if (f.sum === 0)
			continue;
		root.size += f.sum;
		const { name, groups } = placeOf(f, byFile);
		for (const part of groups) {
			let next = at.children.get(part + "/");

			if (next === undefined) {
				next = newNode(part);
				next.hottest = f;
				at.children.set(part + "/", next);
			}
			next.size += f.sum;
			at = next;
		}
		at.children.set("#" + f.rank, { name, size: f.sum,
			children: new Map(), fn: f, hottest: f });
	}
	return root;
}

/**
 * A node with one child only stands for that child.
 * @param {Node_} node
 */
function onlyChild(node) {
	let name = node.name;

	while (node.children.size === 1) {
		const child = [...node.children.values()][0];

		if (child.fn !== undefined)
			break;
		name += (name === "" ? "" : " › ") + child.name;
		node = child;
	}
	return { node, name };
}

/**
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 */

/**
 * Squarified layout (Bruls, Huizing, van Wijk, 2000): rows of nodes whose
 * boxes are as square as they can be.
 * @param {Node_[]} nodes largest first
 * @param {Box} box
 * @param {(node: Node_, box: Box) => void} place
 */
function squarify(nodes, box, place) {
	let total = nodes.reduce((n, node) => n + node.size, 0);
	let { x, y, w, h } = box, i = 0;

	while (i < nodes.length && w > 0.5 && h > 0.5 && total > 0) {
		const side = Math.min(w, h), scale = w * h / total;
		let sum = 0, end = i, worst = Infinity;

		while (end < nodes.length) {
			const more = sum + nodes[end].size;
			const thick = more * scale / side;
			const first = nodes[i].size * scale / thick;
			const last = nodes[end].size * scale / thick;
			const ratio = Math.max(first / thick, thick / first,
			    last / thick, thick / last);

			if (ratio > worst)
				break;
			worst = ratio;
			sum = more;
			end++;
		}
		const thick = sum * scale / side;
		let along = 0;

		for (; i < end; i++) {
			const long = nodes[i].size * scale / thick;

			place(nodes[i], w >= h ?
			    { x, y: y + along, w: thick, h: long } :
			    { x: x + along, y, w: long, h: thick });
			along += long;
		}
		if (w >= h) {
			x += thick;
			w -= thick;
		} else {
			y += thick;
			h -= thick;
		}
		total -= sum;
	}
}

/**
 * @param {string} text
 * @param {number} width
 */
function fitText(text, width) {
	const most = Math.floor(width / 6.6);

	return most < 3 ? "" : text.length <= most ? text :
	    text.slice(0, most - 1) + "…";
}

/** Two levels of a node, with the names that have room. */
class MapDrawing {
	/**
	 * @param {Profile} p
	 * @param {number} width
	 * @param {(path: string[]) => void} zoom
	 */
	constructor(p, width, zoom) {
		this.profile = p;
		this.zoom = zoom;
		this.width = width;
		this.height = Math.max(240, Math.min(460, width * 0.5));
		this.root = svg("svg", { class: "chart map", width,
			height: this.height, role: "group",
			"aria-label": "Map of counts" });
	}

	/**
	 * @param {Node_} node
	 * @param {string[]} path
	 */
	draw(node, path) {
		this.level(node, path, { x: 0, y: 0, w: this.width,
			h: this.height }, 0);
		return this.root;
	}

	/**
	 * @param {Node_} node
	 * @param {string[]} path
	 * @param {Box} box
	 * @param {number} depth
	 */
	level(node, path, box, depth) {
		const nodes = [...node.children].map(([key, child]) =>
		    Object.assign(child, { key })).sort((a, b) =>
		    b.size - a.size);

		squarify(this.bundle(nodes, box), box, (child, place) => {
			if (place.w < 1.5 || place.h < 1.5)
				return;
			this.cell(child, [...path, /** @type {any} */ (child)
			    .key], place, depth);
		});
	}

	/**
	 * Nodes that are too small to be seen become one.
	 * @param {Node_[]} nodes largest first
	 * @param {Box} box
	 */
	bundle(nodes, box) {
		const total = nodes.reduce((n, node) => n + node.size, 0);
		const least = 30 * total / (box.w * box.h);
		const first = nodes.findIndex((node) => node.size < least);
		const rest = first < 0 ? [] : nodes.slice(first);

		if (rest.length < 2)
			return nodes;
		return [...nodes.slice(0, first), { ...newNode(
		    `${digits(rest.length)} smaller ones`),
			size: rest.reduce((n, node) => n + node.size, 0) }];
	}

	/**
	 * @param {Node_} node
	 * @param {string[]} path
	 * @param {Box} box
	 * @param {number} depth
	 */
	cell(node, path, box, depth) {
		const nested = node.children.size !== 0 && depth < 2 &&
		    box.w > 24 && box.h > 34;
		const { name } = onlyChild(node);
		const text = `${visible(name, 300)}: ` +
		    percent(node.size / (this.profile.total || 1));
		const open = () => node.fn !== undefined ?
		    view.set({ fn: node.fn.key }) :
		    node.children.size !== 0 ? this.zoom(path) : undefined;

		this.root.append(svg("rect", { class: "cell fill-" +
			(node.hottest === undefined ? "rest" :
			node.hottest.kind), x: box.x, y: box.y,
			width: box.w, height: box.h, role: "button",
			tabindex: box.w * box.h > 2000 ? 0 : undefined,
			"fill-opacity": nested ? 0.35 : 0.85,
			"aria-label": text, onclick: open,
			onkeydown: (/** @type {KeyboardEvent} */ e) => {
				if (e.key === "Enter" || e.key === " ") {
					e.preventDefault();
					open();
				}
			} }, svg("title", {}, text)));
		if (box.h > 14)
			this.root.append(svg("text", { x: box.x + 4,
				y: box.y + 12, class: nested ? "group" : "" },
			    fitText(visible(name, 300), box.w - 6)));
		if (nested)
			this.level(onlyChild(node).node, path.concat(
			    this.skipped(node)), { x: box.x + 2, y: box.y + 16,
				w: box.w - 4, h: box.h - 18 }, depth + 1);
	}

	/**
	 * Keys of the nodes that onlyChild passes.
	 * @param {Node_} node
	 */
	skipped(node) {
		const keys = [], last = onlyChild(node).node;

		for (; node !== last; node = [...node.children.values()][0])
			keys.push([...node.children.keys()][0]);
		return keys;
	}
}

/**
 * The node at a path, as far as there is one.
 * @param {Node_} root
 * @param {string[]} path
 */
function nodeAt(root, path) {
	let node = root;

	for (const key of path) {
		const next = node.children.get(key);

		if (next === undefined)
			break;
		node = next;
	}
	return node;
}

/**
 * @param {string[]} path
 * @param {(path: string[]) => void} zoom
 */
function pathButtons(path, zoom) {
	const made = element("div", { class: "row paths" });

	made.append(element("button", { type: "button", class: "text",
		onclick: () => zoom([]) }, "all"));
	path.forEach((key, i) => made.append("›", element("button",
	    { type: "button", class: "text",
		onclick: () => zoom(path.slice(0, i + 1)) },
	    visible(key.replace(/\/$/, ""), 80))));
	return made;
}

/** @param {Profile} p */
function mapPanel(p) {
	const where = element("div", {});
	const usual = haveFiles(p.fns).most ? "file" : "namespace";
	/** @type {Record<string, Node_>} */
	const trees = {};
	let width = 0;
	const zoom = (/** @type {string[]} */ path) => view.set({
		map: path.length === 0 ? "" : JSON.stringify(path) });
	const draw = () => {
		const by = view.get("by", usual);
		/** @type {string[]} */
		let path = [];

		if (width === 0)
			return;
		try {
			path = JSON.parse(view.get("map", "[]")).map(String);
		} catch { /* a link of someone else */ }
		trees[by] = trees[by] || mapTree(p, by === "file");
		where.replaceChildren(pathButtons(path, zoom),
		    new MapDrawing(p, width, zoom).draw(nodeAt(trees[by],
			path), path));
	};
	const made = panel("map", "Where counts are",
	    where, element("p", { class: "hint" }, "The area is the share " +
		"of counts, the colour the class of the hottest function. " +
		"Select a part to zoom in, a function to see it above."));

	made.children[0].append(element("span", { class: "space" }),
	    choice("Parts of the map", [["namespace", "namespace"],
		["file", "file"]], () => view.get("by", usual), (by) =>
	    view.set({ by, map: "" })));
	view.on(["by", "map"], draw);
	onWidth(where, (w) => {
		width = w;
		draw();
	});
	return made;
}
