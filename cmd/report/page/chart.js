/* Scales, axes and readings of charts. */

/**
 * @typedef {object} Scale
 * @property {(value: number) => number} at
 * @property {number[]} ticks
 */

/**
 * From `low`, which is above 0, to `high`; ticks are powers of ten, and 2 and 5
 * times these where few would be seen.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {Scale}
 */
function logScale(low, high, from, to) {
	const first = Math.log10(low);
	const span = Math.max(Math.log10(high) - first, 1e-9);
	const most = Math.max(2, Math.abs(to - from) / 45);
	const step = Math.max(1, Math.ceil(span / most));
	const ticks = [];

	for (let e = Math.floor(first); e <= first + span + 1e-9; e += step)
		for (const times of span < 1.7 ? [1, 2, 5] : [1])
			ticks.push(times * 10 ** e);
	return { ticks: ticks.filter((t) => t >= low * 0.999 &&
	    t <= high * 1.001), at: (v) => from + (to - from) *
	    (Math.log10(Math.max(v, low)) - first) / span };
}

/**
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @param {number} steps
 * @returns {Scale}
 */
function linearScale(high, from, to, steps) {
	const ticks = [];

	for (let i = 0; i <= steps; i++)
		ticks.push(high * i / steps);
	return { ticks, at: (v) => from + (to - from) * v / (high || 1) };
}

/**
 * @typedef {object} Frame of a chart
 * @property {SVGElement} root
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 */

/**
 * @param {number} width
 * @param {number} height
 * @param {string} label for those who do not see it
 * @returns {Frame}
 */
function chartFrame(width, height, label) {
	const root = svg("svg", { class: "chart", width, height,
		viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0,
		"aria-label": label });

	return { root, left: 46, right: width - 12, top: 20,
		bottom: height - 36 };
}

/**
 * @param {Frame} f
 * @param {Scale} x
 * @param {Scale} y
 * @param {(value: number) => string} xText
 * @param {(value: number) => string} yText
 * @param {string} xLabel
 * @param {string} yLabel
 */
function drawAxes(f, x, y, xText, yText, xLabel, yLabel) {
	for (const tick of y.ticks)
		f.root.append(svg("line", { class: "grid-line", x1: f.left,
			x2: f.right, y1: y.at(tick), y2: y.at(tick) }),
		    svg("text", { x: f.left - 6, y: y.at(tick) + 4,
			"text-anchor": "end" }, withoutZeros(yText(tick))));
	for (const tick of x.ticks)
		f.root.append(svg("line", { class: "axis", x1: x.at(tick),
			x2: x.at(tick), y1: f.bottom, y2: f.bottom + 4 }),
		    svg("text", { x: x.at(tick), y: f.bottom + 16,
			"text-anchor": "middle" }, withoutZeros(xText(tick))));
	f.root.append(svg("line", { class: "axis", x1: f.left, x2: f.right,
		y1: f.bottom, y2: f.bottom }),
	    svg("text", { x: f.right, y: f.bottom + 31,
		"text-anchor": "end" }, xLabel),
	    svg("text", { x: 0, y: 10 }, yLabel));
}

/**
 * A vertical mark with a text at its top, right of it where there is room.
 * @param {Frame} f
 * @param {number} x
 * @param {string} kind hot or cold
 * @param {string} text
 * @param {number} line of the text, from 0
 */
function drawMark(f, x, kind, text, line) {
	const left = x > f.left + (f.right - f.left) * 0.6;

	f.root.append(svg("line", { class: "mark " + kind, x1: x, x2: x,
		y1: f.top, y2: f.bottom }),
	    svg("text", { class: kind, x: left ? x - 5 : x + 5,
		y: f.bottom - 8 - 14 * line,
		"text-anchor": left ? "end" : "start" }, text));
}

/**
 * A reading at the point nearest to the pointer, or chosen with arrow keys.
 * @param {Frame} f
 * @param {{x: number, y: number, text: string}[]} points from left to right
 */
function addReading(f, points) {
	const line = svg("line", { y1: f.top, y2: f.bottom });
	const text = svg("text", {});
	const dot = svg("circle", { r: 3.5, class: "fill-plain" });
	const reading = svg("g", { class: "reading" }, line, dot, text);
	let at = -1;

	/** @param {number} i */
	function show(i) {
		if (points.length === 0)
			return;
		at = Math.max(0, Math.min(points.length - 1, i));
		const p = points[at], left = p.x > (f.left + f.right) / 2;

		line.setAttribute("x1", String(p.x));
		line.setAttribute("x2", String(p.x));
		dot.setAttribute("cx", String(p.x));
		dot.setAttribute("cy", String(p.y));
		text.setAttribute("x", String(left ? p.x - 8 : p.x + 8));
		text.setAttribute("y", String(Math.max(f.top + 10, p.y - 8)));
		text.setAttribute("text-anchor", left ? "end" : "start");
		text.textContent = p.text;
		f.root.append(reading);
	}
	f.root.addEventListener("pointermove", (event) => {
		const box = f.root.getBoundingClientRect();
		const x = /** @type {PointerEvent} */ (event).clientX -
		    box.left;
		let low = 0, high = points.length - 1;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (points[middle].x < x)
				low = middle + 1;
			else
				high = middle;
		}
		show(low > 0 && x - points[low - 1].x < points[low].x - x ?
		    low - 1 : low);
	});
	f.root.addEventListener("pointerleave", () => reading.remove());
	f.root.addEventListener("blur", () => reading.remove());
	f.root.addEventListener("keydown", (event) => {
		const key = /** @type {KeyboardEvent} */ (event).key;

		if (key === "ArrowRight")
			show(at + 1);
		else if (key === "ArrowLeft")
			show(at - 1);
		else
			return;
		event.preventDefault();
	});
}
