/* Start-up: the order in which functions were first called. */

/* Functions that a timeline shows, and the list. */
const tracedFunctions = 2000;

/**
 * A timeline of each trace: a bar for each function, placed from left to right by
 * when it was first called, coloured by its place in prof-order's order.  Traces
 * that call the same functions in the same order look alike.
 * @param {Trace[]} traces
 * @param {Map<string, number>} places
 * @param {number} width
 */
function drawTraces(traces, places, width) {
	const shown = traces.slice(0, 40), high = 14;
	const longest = Math.max(...shown.map((t) => t.functions.length), 1);
	const root = svg("svg", { class: "chart", width, role: "img",
		height: shown.length * high + 30, "aria-label":
		`Timeline of ${shown.length} traces` });
	const step = (width - 80) / Math.min(longest, tracedFunctions);

	shown.forEach((trace, row) => {
		root.append(svg("text", { x: 70, y: row * high + 21,
			"text-anchor": "end" }, `weight ${compact(
			Number(trace.weight))}`));
		trace.functions.slice(0, tracedFunctions).forEach((name,
		    i) => {
			const place = places.get(name) || 0;

			root.append(svg("rect", { x: 80 + i * step,
				y: row * high + 11, height: high - 3,
				width: Math.max(0.6, step - (step > 4 ? 1 :
				    0)), fill: "hsl(" + Math.round(205 + 150 *
				    place / places.size) + " 60% 55%)" },
			    svg("title", {}, `${i + 1}: ` +
				visible(name, 300))));
		});
	});
	root.append(svg("text", { x: 80, y: shown.length * high + 26 },
	    "first call"), svg("text", { x: width, "text-anchor": "end",
		y: shown.length * high + 26 }, `${digits(Math.min(longest,
		tracedFunctions))} functions`));
	return root;
}

/**
 * @param {Profile} p
 * @param {string[]} order
 */
function orderTable(p, order) {
	const rows = order.slice(0, tracedFunctions).map((name, i) => {
		const f = functionNamed(p, name);

		return element("tr", {}, element("td", {}, digits(i + 1)),
		    element("td", { class: "name" }, f === undefined ?
			visible(name, 400) : element("button",
			{ type: "button", class: "text name",
			    onclick: () => view.set({ fn: f.key }) },
			visible(f.label, 400))));
	});

	return element("details", {}, element("summary", {},
	    `Order of prof-order: ${digits(order.length)} functions`),
	    element("div", { class: "row" }, element("button",
		{ type: "button", onclick: () => saveText("order.txt",
		    "text/plain", order.map((name) => name + "\n").join("")) },
		"save the list")),
	    element("table", {}, element("tbody", {}, ...rows)));
}

/** @param {Profile} p */
function tracesPanel(p) {
	const traces = p.traces || [], order = p.order || [];
	const where = element("div", {});
	const places = new Map(order.map((name, i) => [name, i]));
	const made = panel("traces", "Start-up", element("p",
	    { class: "hint" }, `${counted(traces.length, "trace")}. Each line is a ` +
	    "trace, each bar a function at its first call; the colour is " +
	    "its place in the order that prof-order gives the linker."),
	    where, orderTable(p, order));

	onWidth(where, (width) => where.replaceChildren(drawTraces(traces,
	    places, width)));
	return made;
}
