/* One function: its counters, values and bitmap. */

/* Bars of a strip, and rows of a table that is not unfolded. */
const stripBars = 160, tableRows = 200;

/**
 * Counters as bars in their order.  If there are more counters than bars, a bar
 * is the largest of some.
 * @param {Profile} p
 * @param {Fn} f
 */
function counterStrip(p, f) {
	const strip = element("div", { class: "strip", role: "img",
		"aria-label": `${digits(f.counters)} counters, the largest is ` +
		    digits(f.max) });
	const bars = Math.min(stripBars, f.counts.length);
	const scale = Math.log1p(Number(f.max)) || 1;

	for (let i = 0; i < bars; i++) {
		const from = Math.floor(i * f.counts.length / bars);
		const to = Math.floor((i + 1) * f.counts.length / bars);
		const part = f.counts.slice(from, to);
		const max = part.reduce((a, b) => compareCounts(a, b) > 0 ?
		    a : b);

		strip.append(element("i", { class: classify(p, max),
			title: to - from === 1 ?
			    `counter ${from}: ${digits(max)}` :
			    `counters ${from} to ${to - 1}: up to ` +
			    digits(max),
			"--part": 100 * Math.log1p(Number(max)) / scale +
			    "%" }));
	}
	return strip;
}

/**
 * @param {Profile} p
 * @param {Fn} f
 */
function counterTable(p, f) {
	const rows = element("tbody");
	const sum = f.sum || 1;

	f.counts.slice(0, tableRows).forEach((count, i) => rows.append(
	    element("tr", {}, element("td", {}, String(i)),
		element("td", {}, digits(count)),
		element("td", {}, percent(Number(count) / sum)),
		element("td", { class: classify(p, count) },
		    classify(p, count)))));
	if (f.counts.length > tableRows)
		rows.append(element("tr", {}, element("td", { colspan: 4 },
		    `and ${digits(f.counts.length - tableRows)} more`)));
	return element("details", {}, element("summary", {}, "as a table"),
	    element("table", {}, element("thead", {}, element("tr", {},
		...["counter", "count", "of function", "class"].map((title) =>
		    element("th", { scope: "col" }, title)))), rows));
}

/**
 * The target of a value: a link if it is a function of the profile.
 * @param {Profile} p
 * @param {Value} v
 */
function valueTarget(p, v) {
	if (v.size !== undefined)
		return digits(v.size) + (v.size === 1 ? " byte" : " bytes");
	const text = v.target !== undefined ? v.target :
	    v.target_hex !== undefined ? textOfHex(v.target_hex) :
	    v.target_guid === "0x0000000000000000" ? "(outside)" :
	    v.target_guid || "";
	const f = functionNamed(p, text);

	return f === undefined ? visible(text, 400) :
	    element("button", { type: "button", class: "text name",
		onclick: () => view.set({ fn: f.key }) },
		visible(f.label, 400));
}

/**
 * @param {Profile} p
 * @param {Value[]} site
 * @param {string} heading
 */
function valueSite(p, site, heading) {
	const total = site.reduce((n, v) => n + Number(v.count), 0) || 1;
	const rows = [...site].sort((a, b) => compareCounts(b.count,
	    a.count)).map((v) => element("tr", {},
		element("td", { class: "name left" }, valueTarget(p, v)),
		element("td", { class: "bar", "--part":
		    100 * Number(v.count) / total + "%" }, digits(v.count)),
		element("td", {}, percent(Number(v.count) / total))));

	return element("div", { class: "site" }, element("h3", {}, heading),
	    rows.length === 0 ? element("p", { class: "hint" },
		"no values were seen") :
	    element("table", {}, element("tbody", {}, ...rows)));
}

const siteNames = {
	indirect_call_target: "Indirect call",
	mem_op_size: "Sizes of memory operation",
	vtable_target: "Virtual table",
};

/**
 * @param {Profile} p
 * @param {Fn} f
 */
function valueSites(p, f) {
	const made = [];

	for (const [kind, name] of Object.entries(siteNames)) {
		const sites = f.data.values[kind] || [];

		sites.slice(0, tableRows).forEach((site, i) => made.push(
		    valueSite(p, site, `${name} ${i}`)));
		if (sites.length > tableRows)
			made.push(element("p", { class: "hint" },
			    `and ${digits(sites.length - tableRows)} more`));
	}
	return made;
}

/**
 * A square for each test vector of MC/DC: filled if it was seen.
 * @param {string} hex
 */
function bitmapSquares(hex) {
	const squares = element("div", { class: "bits", role: "img" });
	const most = 4096;
	let seen = 0;

	for (let i = 0; i < hex.length * 4; i++) {
		const byte = parseInt(hex.slice(i >> 3 << 1, (i >> 3 << 1) +
		    2), 16);
		const bit = byte >> (i & 7) & 1;

		seen += bit;
		if (i < most)
			squares.append(element("i", { class: bit ? "seen" :
				"", title: `test vector ${i}: ` +
				(bit ? "seen" : "not seen") }));
	}
	const text = `${digits(seen)} of ${digits(hex.length * 4)} test ` +
	    "vectors were seen";

	squares.setAttribute("aria-label", text);
	return [element("h3", {}, "MC/DC"), element("p", { class: "hint" },
	    text), squares];
}

/**
 * @param {[string, string | Node][]} facts
 */
function factList(facts) {
	const list = element("dl", { class: "facts" });

	for (const [name, value] of facts)
		list.append(element("dt", {}, name), element("dd", {}, value));
	return list;
}

/** @param {Fn} f */
function functionFacts(f) {
	/** @type {[string, string | Node][]} */
	const facts = [
		["share", `${percent(f.share)}, the first ` +
		    `${digits(f.rank + 1)}: ${percent(f.running)}`],
		["class", element("span", { class: f.kind }, f.kind +
		    (f.pseudo === undefined ? "" : " (pseudo count)"))],
		["counts", digits(f.exactSum) + " in all"],
		["largest", digits(f.max)],
		["entered", f.pseudo === undefined ? digits(f.entries) :
		    "unknown"],
		["hash", element("span", { class: "mono" }, f.data.hash +
		    (f.data.context_sensitive ? " (context-sensitive)" : ""))],
	];

	if (f.stored !== f.label)
		facts.push(["stored as", element("span", { class: "mono" },
		    visible(f.stored))]);
	if (f.file !== "")
		facts.push(["file", element("span", { class: "mono" },
		    visible(f.file))]);
	return factList(facts);
}

/**
 * @param {Profile} p
 * @param {Fn} f
 */
function functionDetails(p, f) {
	const made = element("aside", { class: "details", tabindex: -1,
		"aria-label": "Function" },
	    element("div", { class: "row" },
		element("span", { class: "hint" }, "function"),
		element("span", { class: "space" }),
		element("button", { type: "button", class: "close",
		    "aria-label": "Close the details",
		    onclick: () => view.set({ fn: "" }) }, "×")),
	    element("h2", {}, visible(f.label)), functionFacts(f));

	if (f.counts.length !== 0 && f.pseudo === undefined)
		made.append(element("h3", {}, "Counters, on a logarithmic " +
		    "scale"), counterStrip(p, f), counterTable(p, f));
	made.append(...valueSites(p, f));
	if (f.data.bitmap !== undefined)
		made.append(...bitmapSquares(f.data.bitmap));
	return made;
}
