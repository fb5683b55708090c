/* Shares of functions in OLD and NEW, as points on logarithmic axes. */

/* Width of the strips for functions that one profile lacks. */
const absentStrip = 22;

/**
 * @typedef {{x: number, y: number, change: Change}} Spot
 *
 * @typedef {object} Scatter
 * @property {SVGElement} root
 * @property {Spot[]} spots by change, the largest first
 */

/** @param {number} share of 1 */
function shareTick(share) {
	const p = Number((100 * share).toPrecision(1));

	return (p < 0.001 ? p.toExponential() : p) + "%";
}

/**
 * The smallest share above 0, and the largest.
 * @param {Change[]} changes
 */
function shareRange(changes) {
	let low = 1, high = 0;

	for (const c of changes)
		for (const share of [c.old, c.new])
			if (share > 0) {
				low = Math.min(low, share);
				high = Math.max(high, share);
			}
	return high === 0 ? { low: 0.001, high: 1 } :
	    { low: low / 1.3, high: high * 1.3 };
}

/**
 * Functions of one word are one path, a dot for each pixel that has some.
 * @param {Spot[]} spots
 * @param {string} word
 */
function spotPath(spots, word) {
	const seen = new Set();
	let path = "", n = 0;

	for (const { x, y, change } of spots) {
		if (change.word !== word)
			continue;
		const at = `M${Math.round(x)},${Math.round(y)}h0`;

		n++;
		if (!seen.has(at))
			path += at;
		seen.add(at);
	}
	return svg("path", { class: "spots " + stateClass(word), d: path || "M0,0",
		"data-functions": n });
}

/**
 * @param {Change[]} changes
 * @param {string[]} words
 * @param {number} width
 * @returns {Scatter}
 */
function drawScatter(changes, words, width) {
	const both = changes.filter((c) => c.old > 0 && c.new > 0).length;
	const f = chartFrame(width, Math.max(280, Math.min(480, width * 0.8)),
	    `Shares of ${digits(changes.length)} functions in OLD and in NEW: ` +
	    `${digits(both)} have counts in both`);
	const { low, high } = shareRange(changes);
	const x = logScale(low, high, f.left + absentStrip, f.right);
	const y = logScale(low, high, f.bottom - absentStrip, f.top);
	const spots = changes.filter((c) => c.old > 0 ||
	    c.new > 0).map((c) => ({ x: c.old > 0 ? x.at(c.old) : f.left + absentStrip / 2,
		y: c.new > 0 ? y.at(c.new) : f.bottom - absentStrip / 2,
		change: c }));

	drawAxes(f, x, y, shareTick, shareTick, "share in OLD (left: none)",
	    "share in NEW (bottom: none)");
	f.root.classList.add("scatter");
	f.root.append(svg("line", { class: "diagonal", x1: x.at(low),
		y1: y.at(low), x2: x.at(high), y2: y.at(high) }),
	    svg("text", { x: x.at(low) + 8, y: f.top + 12 },
		"above the diagonal: more in NEW"),
	    svg("line", { class: "axis", x1: f.left + absentStrip, y1: f.top,
		x2: f.left + absentStrip, y2: f.bottom }),
	    svg("line", { class: "axis", x1: f.left, x2: f.right,
		y1: f.bottom - absentStrip, y2: f.bottom - absentStrip }));
	for (const word of [...words].reverse())
		f.root.append(spotPath(spots, word));
	return { root: f.root, spots };
}

/**
 * The spot nearest to a place, if one is near.
 * @param {Spot[]} spots
 * @param {number} x
 * @param {number} y
 */
function nearestSpot(spots, x, y) {
	let best = 225, found;

	for (const spot of spots) {
		const far = (spot.x - x) ** 2 + (spot.y - y) ** 2;

		if (far < best) {
			best = far;
			found = spot;
		}
	}
	return found;
}

/**
 * Marks the spot at the pointer, and chooses it; arrow keys go through spots by
 * change.
 * @param {Scatter} s
 * @param {HTMLElement} status
 */
function followSpots(s, status) {
	const ring = svg("circle", { class: "ring", r: 6 });
	/** @type {Spot | undefined} */
	let at;
	const show = (/** @type {Spot | undefined} */ spot) => {
		at = spot;
		status.textContent = spot === undefined ? "" :
		    `${visible(spot.change.label, 300)}: ` +
		    `${exactPercent(spot.change.old)} in OLD, ` +
		    `${exactPercent(spot.change.new)} in NEW, ${spot.change.word}`;
		ring.remove();
		if (spot === undefined)
			return;
		ring.setAttribute("cx", String(spot.x));
		ring.setAttribute("cy", String(spot.y));
		s.root.append(ring);
	};
	const choose = () => {
		if (at !== undefined)
			view.set({ fn: at.change.key });
	};

	s.root.addEventListener("pointermove", (event) => {
		const box = s.root.getBoundingClientRect();
		const e = /** @type {PointerEvent} */ (event);

		show(nearestSpot(s.spots, e.clientX - box.left,
		    e.clientY - box.top));
	});
	s.root.addEventListener("click", choose);
	s.root.addEventListener("keydown", (event) => {
		const key = /** @type {KeyboardEvent} */ (event).key;
		const i = at === undefined ? -1 : s.spots.indexOf(at);

		if (key === "Enter")
			choose();
		else if (key === "ArrowRight" || key === "ArrowLeft")
			show(s.spots[Math.max(0, Math.min(s.spots.length - 1,
			    key === "ArrowRight" ? i + 1 : i - 1))]);
		else
			return;
		event.preventDefault();
	});
}

/**
 * @param {Change[]} changes
 * @param {string[]} words
 */
function scatterPanel(changes, words) {
	const where = element("div", {});
	const status = element("p", { class: "hint flame-status",
		role: "status" });
	const legend = element("p", { class: "hint legend" },
	    ...words.filter((word) => changes.some((c) =>
		c.word === word)).map((word) => element("span",
		{ class: stateClass(word) }, "● " + word + " ")));

	onWidth(where, (width) => {
		const drawn = drawScatter(changes, words, width);

		where.replaceChildren(drawn.root);
		followSpots(drawn, status);
	});
	return panel("scatter", "Shares in OLD and NEW", legend, where, status);
}
