/* How counts are distributed: the curve of cutoffs, and a histogram. */

const chartHeight = 260;

/**
 * Points of the curve by functions: at most a few hundred of them.
 * @param {Profile} p
 */
function functionPoints(p) {
	/** @type {{n: number, share: number}[]} */
	const points = [];
	let next = 1;

	p.fns.forEach((f, i) => {
		if (i + 1 < next && i + 1 !== p.fns.length)
			return;
		points.push({ n: i + 1, share: f.running });
		next = Math.max(i + 2, Math.ceil((i + 1) * 1.02));
	});
	return points;
}

/**
 * LLVM's cutoffs: so many counters have such a part of the total.
 * @param {Profile} p
 */
function counterPoints(p) {
	/** @type {{parts_per_million: number, counters: number}[]} */
	const cutoffs = p.summary.cutoffs;

	return cutoffs.filter((c) => c.counters !== 0).map((c) =>
	    ({ n: c.counters, share: c.parts_per_million / 1e6 }));
}

/**
 * How many counters are hot, and how many are hot or warm; or functions.
 * @param {Profile} p
 * @param {boolean} functions
 */
function classEnds(p, functions) {
	const cutoffs = p.summary.cutoffs;

	if (!functions)
		return [990000, 999999].map((ppm) => cutoffs.find(
		    (/** @type {any} */ c) => c.parts_per_million === ppm)
		    .counters);
	const hot = p.fns.filter((f) => f.kind === "hot").length;
	return [hot, hot + p.fns.filter((f) => f.kind === "warm")
	    .length];
}

/**
 * @param {Profile} p
 * @param {number} width
 * @param {boolean} functions
 */
function drawCutoffs(p, width, functions) {
	const what = functions ? "functions" : "counters";
	const points = functions ? functionPoints(p) : counterPoints(p);
	const most = Math.max(2, functions ? p.fns.length :
	    Number(p.summary.counters));
	const [hot, warm] = classEnds(p, functions);
	const f = chartFrame(width, chartHeight, `Curve: ${digits(hot)} of ` +
	    `${digits(most)} ${what} are hot; they and warm ones are ` +
	    `${digits(warm)}`);
	const x = logScale(1, most, f.left, f.right);
	const y = linearScale(1, f.bottom, f.top, 4);

	drawAxes(f, x, y, compact, (v) => Math.round(100 * v) + "%",
	    `number of ${what}, the hottest first`, "share of all counts");
	const path = points.map((q) => `${x.at(q.n)},${y.at(q.share)}`);
	if (path.length !== 0) {
		f.root.append(svg("path", { class: "area",
			d: `M${x.at(points[0].n)},${f.bottom}L${path.join("L")}` +
			    `L${x.at(points[points.length - 1].n)},${f.bottom}Z` }),
		    svg("path", { class: "curve", d: "M" + path.join("L") }));
	}
	if (hot > 0)
		drawMark(f, x.at(hot), "hot", `${digits(hot)} hot`, 1);
	if (warm > hot)
		drawMark(f, x.at(warm), "cold", `${digits(warm)} not cold`, 0);
	addReading(f, points.map((q) => ({ x: x.at(q.n), y: y.at(q.share),
		text: `${digits(q.n)} ${what}: ${percent(q.share)}` })));
	return f.root;
}

/** @param {Profile} p */
function cutoffsPanel(p) {
	const where = element("div", {});
	let width = 0;
	const unit = () => view.get("curve", "functions");
	const draw = () => {
		if (width !== 0)
			where.replaceChildren(drawCutoffs(p, width,
			    unit() !== "counters"));
	};
	const made = panel("cutoffs", "How few functions do the work", where);

	made.children[0].append(element("span", { class: "space" }),
	    choice("Unit of the curve", [["functions", "functions"],
		["counters", "counters"]], unit, (curve) =>
		view.set({ curve })));
	view.on(["curve"], draw);
	onWidth(where, (w) => {
		width = w;
		draw();
	});
	return made;
}

/**
 * Adds counts to tallies by powers of two: [0] of zeros, [i] of 2^(i-1) to
 * 2^i - 1.
 * @param {number[]} tallies
 * @param {Count[]} counts
 */
function tally(tallies, counts) {
	for (let i = 0; i < counts.length; i++) {
		const n = Number(counts[i]);

		tallies[n < 1 ? 0 : n < 2147483648 ? 32 - Math.clz32(n) :
		    Math.min(64, Math.floor(Math.log2(n)) + 1)]++;
	}
}

/**
 * @param {Profile} p
 * @param {boolean} counters or functions, by their largest counter
 */
function tallyProfile(p, counters) {
	const tallies = counters ? [...p.tallies] : new Array(65).fill(0);

	if (!counters)
		tally(tallies, p.fns.filter((f) => f.pseudo === undefined)
		    .map((f) => f.max));
	while (tallies.length > 2 && tallies[tallies.length - 1] === 0)
		tallies.pop();
	return tallies;
}

/**
 * Bars of tallies; those at the ends of an axis in powers of two.
 * @param {number[]} tallies
 * @param {number} width
 * @param {object} how
 * @param {string} how.label
 * @param {string} how.xLabel
 * @param {string} how.yLabel
 * @param {(n: number) => string} how.unit of a value on the axis
 * @param {(from: number) => string} how.fill of a bar
 */
function drawTallies(tallies, width, how) {
	const f = chartFrame(width, chartHeight, how.label);
	const most = Math.max(...tallies, 1);
	const y = logScale(0.7, most * 1.2, f.bottom, f.top);
	const step = (f.right - f.left) / tallies.length;
	const every = Math.max(1, Math.ceil(46 / step));
	const from = (/** @type {number} */ i) => i === 0 ? 0 : 2 ** (i - 1);
	const x = { at: (/** @type {number} */ i) => f.left +
	    (i + 0.5) * step, ticks: tallies.map((_, i) => i).filter((i) =>
	    i % every === 0) };

	drawAxes(f, x, y, (i) => how.unit(from(i)), compact, how.xLabel,
	    how.yLabel);
	tallies.forEach((n, i) => {
		if (n !== 0)
			f.root.append(svg("rect", { class: how.fill(from(i)),
				x: f.left + i * step + 0.5, y: y.at(n),
				width: Math.max(1, step - 1),
				height: f.bottom - y.at(n) }));
	});
	addReading(f, tallies.map((n, i) => ({ x: x.at(i),
		y: n === 0 ? f.bottom : y.at(n), text: `${digits(n)}: ` +
		(i < 2 ? how.unit(from(i)) : how.unit(from(i)) + " to " +
		how.unit(from(i + 1))) })));
	return f.root;
}

/** @param {Profile} p */
function distributionPanel(p) {
	const where = element("div", {});
	let width = 0;
	const unit = () => view.get("tally", "counters");
	const draw = () => {
		const what = unit();

		if (width === 0)
			return;
		const tallies = tallyProfile(p, what !== "functions");
		where.replaceChildren(drawTallies(tallies, width, {
			label: `Histogram of the counts of ${what}`,
			xLabel: what === "counters" ? "count" :
			    "largest count of the function",
			yLabel: what, unit: compact,
			fill: (from) => "fill-" + classify(p, from) }));
	};
	const made = panel("distribution", "Distribution of counts", where);

	made.children[0].append(element("span", { class: "space" }),
	    choice("What is counted", [["counters", "counters"],
		["functions", "functions"]], unit, (tally) =>
		view.set({ tally })));
	view.on(["tally"], draw);
	onWidth(where, (w) => {
		width = w;
		draw();
	});
	return made;
}
