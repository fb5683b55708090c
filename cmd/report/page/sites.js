/* Where memory is allocated, of which class, for how long, how much at once. */

/** @param {Heap} heap */
function heapFigures(heap) {
	const list = element("dl", { class: "figures" });
	/** @param {string} m */
	const sum = (m) => heap.contexts.reduce((n, c) => n +
	    infoNumber(c, measures[m].field), 0);
	const count = sum("count");

	list.append(figure("contexts", digits(heap.contexts.length)));
	for (const m of knownMeasures(heap)) {
		const { title, mean, text } = measures[m];

		list.append(mean !== undefined ? figure(mean, text(sum(m) /
		    (count || 1))) : figure(title, text(sum(m)),
		    digits(sum(m))));
	}
	return list;
}

/** @param {Heap} heap */
function heapClassBars(heap) {
	const bars = element("div", { class: "classes" });
	/** @type {[string, (c: HeapContext) => number, (n: number) =>
	 *     string][]} */
	const rows = [["contexts", () => 1, digits],
		["bytes", (c) => infoNumber(c, "total_size"), bytes],
		["allocations", (c) => infoNumber(c, "alloc_count"),
		    compact]];

	for (const [name, measure, text] of rows)
		bars.append(...classTrack(name, heapClasses.map((kind) => ({
			kind, size: heap.contexts.reduce((n, c) => n +
			    (c.class === kind ? measure(c) : 0), 0) })), text,
		    undefined));
	return bars;
}

/** @param {Heap} heap */
function heapSummary(heap) {
	return panel("heap", "Heap", heapFigures(heap), heapClassBars(heap),
	    element("p", { class: "hint" }, "Classes are those that " +
		"the compiler's thresholds give: cold contexts have few " +
		"accesses for their size and lifetime, and live long."));
}

/** @param {Heap} heap */
function heapHistograms(heap) {
	/**
	 * @param {string} id
	 * @param {string} heading
	 * @param {string} field
	 * @param {(n: number) => string} unit
	 */
	const histogram = (id, heading, field, unit) => {
		const where = element("div", {});
		const tallies = new Array(65).fill(0);

		for (const c of heap.contexts) {
			const count = infoNumber(c, "alloc_count");
			const one = [0];

			one[0] = Math.round(infoNumber(c, field) /
			    (count || 1));
			const place = new Array(65).fill(0);
			tally(place, one);
			tallies[place.indexOf(1)] += count;
		}
		while (tallies.length > 2 &&
		    tallies[tallies.length - 1] === 0)
			tallies.pop();
		onWidth(where, (width) => where.replaceChildren(drawTallies(
		    tallies, width, { label: heading, xLabel: "mean of the " +
			"context", yLabel: "allocations", unit,
			fill: () => "fill-plain" })));
		return panel(id, heading, where);
	};

	return element("div", { class: "columns" },
	    histogram("sizes", "Sizes of allocations", "total_size", bytes),
	    histogram("lifetimes", "Lifetimes", "total_lifetime", duration));
}

/** @type {Record<string, (a: Site, b: Site) => number>} */
const siteOrders = {
	contexts: (a, b) => a.contexts - b.contexts,
	class: (a, b) => heapClasses.indexOf(b.kind) -
	    heapClasses.indexOf(a.kind),
	mean: (a, b) => meanLifetime(a) - meanLifetime(b),
	site: (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
	place: (a, b) => a.place < b.place ? -1 : a.place > b.place ? 1 : 0,
};

/** @param {Site} s */
function meanLifetime(s) {
	return s.values.lifetime / (s.values.count || 1);
}

/**
 * @param {Heap} heap
 * @param {() => number} top the largest share
 */
function siteColumns(heap, top) {
	/** @type {Column<Site>[]} */
	const columns = [
		{ id: "bytes", title: "bytes", width: "5.6rem",
		    cell: (s) => bytes(s.values.bytes),
		    part: (s) => s.share / top() },
		{ id: "share", title: "share", width: "4rem", wide: true,
		    cell: (s) => percent(s.share) },
		{ id: "count", title: "allocations", width: "6rem",
		    wide: true, cell: (s) => digits(s.values.count) },
		{ id: "mean", title: "average lifetime", width: "7.6rem",
		    wide: true,
		    cell: (s) => duration(meanLifetime(s)) },
		{ id: "accesses", title: "accesses", width: "5.6rem",
		    wide: true, cell: (s) => compact(s.values.accesses) },
		{ id: "class", title: "class", width: "4rem", left: true,
		    wide: true, cell: (s) => element("span",
		    { class: s.kind }, s.kind) },
		{ id: "contexts", title: "contexts", width: "4.4rem",
		    wide: true, cell: (s) => digits(s.contexts) },
		{ id: "site", title: "site", left: true,
		    width: "minmax(0, 1fr)", cell: (s) => element("span",
		    { class: "mono", title: visible(s.name, 2000) },
		    visible(s.name, 400)) },
	];

	if (heap.frames.some((f) => framePlace(f) !== ""))
		columns.push({ id: "place", title: "line", left: true,
		    wide: true, width: "minmax(0, 14rem)",
		    cell: (s) => element("span", { class: "mono",
			title: visible(s.place, 2000) },
			visible(s.place, 400)) });
	return columns;
}

/**
 * @param {Heap} heap
 * @param {string[]} names
 */
function sitesPanel(heap, names) {
	/** @type {Record<string, Site[]>} */
	const made = {};
	const sites = () => {
		const by = view.get("rows");

		return made[by] = made[by] || heapSites(heap, names, by !== "");
	};
	let rows = sites();
	const count = element("span", { class: "hint", role: "status" });
	const table = new Table("Sites", siteColumns(heap, () =>
	    sites()[0]?.share || 1), {
		choose: (s) => view.set({ frame: s.name, zoom: "" }),
		sort: (column) => sortBy("sites", column, "-bytes",
		    ["site", "place"]),
		empty: "No site matches." });
	const draw = () => {
		const wanted = view.get("site");
		const sorted = view.get("sites", "-bytes");
		const column = sorted.replace("-", "");
		const order = siteOrders[column] || ((/** @type {Site} */ a,
		    /** @type {Site} */ b) => (column === "share" ?
		    a.share - b.share : (a.values[column] || 0) -
		    (b.values[column] || 0)));
		const matches = matcher(wanted);
		const classes = view.list("kinds");

		rows = sites().filter((s) => (classes.length === 0 ||
		    classes.includes(s.kind)) && (wanted === "" || matches(
		    s.name.toLowerCase()) || matches(s.place.toLowerCase())));
		rows.sort(sorted[0] === "-" ? (a, b) => order(b, a) : order);
		count.textContent = `${digits(rows.length)} of ` +
		    counted(sites().length, view.get("rows") === "" ? "site" :
			"function");
		table.show(rows, sorted);
	};

	table.root.id = "sites-table";
	const box = panel("sites", "Sites", element("div", { class: "row" },
	    wordField("site", "Search sites",
		"function or file, or a pattern with * and ?"),
	    classButtons(heapClasses.filter((c) => heap.contexts.some((x) =>
		x.class === c)), "kinds"),
	    choice("Rows", [["", "where it allocates"],
		["functions", "below each function"]], () => view.get("rows"),
		(rows) => view.set({ rows })),
	    ...saveButtons("sites", () => rows, (s) => ({ frame: s.frame,
		contexts: s.contexts, ...s.values,
		average_lifetime: meanLifetime(s), class: s.kind }),
		["site", "place", "bytes", "share", "allocations",
		    "average lifetime", "accesses", "contexts", "class"],
		(s) => [s.name, s.place, s.values.bytes, s.share,
		    s.values.count, meanLifetime(s), s.values.accesses,
		    s.contexts, s.kind])), table.root, element("p",
	    { class: "hint" }, "Select a site to find it in the graph."));
	box.children[0].append(count);
	view.on(["site", "sites", "rows", "kinds"], draw);
	draw();
	return box;
}

/**
 * The sections of a heap profile.
 * @param {Heap} heap
 */
function heapSections(heap) {
	const names = heap.frames.map(frameName);

	if (heap.contexts.length === 0)
		return [];
	return [heapSummary(heap), heapFlamePanel(heap, names),
		sitesPanel(heap, names), heapHistograms(heap)];
}
