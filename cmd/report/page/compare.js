/* Two profiles compared: A, the base, and B. */

/**
 * @typedef {{a: number, b: number}} Pair
 *
 * @typedef {object} OverlapPart of counts, or of values of a kind
 * @property {Pair} [sum]
 * @property {number} overlap
 * @property {number} lost_share
 * @property {number} new_share
 * @property {Pair} [stale_share]
 * @property {Pair} [misfit_share]
 *
 * @typedef {OverlapPart & Record<string, any>} Subject as of prof-diff --json
 *
 * @typedef {object} ChangeData as of prof-diff --json
 * @property {string} state
 * @property {string} [name]
 * @property {string} [name_hex]
 * @property {string} [guid]
 * @property {string} [demangled]
 * @property {string} [demangled_hex]
 * @property {string} [hash_a]
 * @property {string} [hash_b]
 * @property {{a: Count, b: Count}} count
 * @property {Pair} share
 * @property {number} [overlap]
 *
 * @typedef {object} Comparison
 * @property {Subject} subject
 * @property {any[]} rows changes, the largest first; or contexts
 * @property {string[]} [names] of the frames of contexts
 */

/* What became of a function; a word is also the class of its colour. */
const changeWords = ["hotter", "colder", "new", "lost", "stale", "misfit",
	"same"];

/** A function that is in one of the profiles, or in both. */
class Change {
	/**
	 * @param {ChangeData} data
	 * @param {number} rank by change, from 0
	 */
	constructor(data, rank) {
		this.data = data;
		this.rank = rank;
		this.stored = storedName(data);
		this.label = data.demangled !== undefined ? data.demangled :
		    data.demangled_hex !== undefined ?
		    textOfHex(data.demangled_hex) : this.stored;
		this.file = data.guid === undefined ? filePart(this.stored) :
		    "";
		this.a = data.share.a;
		this.b = data.share.b;
		this.change = this.b - this.a;
		this.word = data.state !== "changed" ? data.state :
		    this.change > 0 ? "hotter" : this.change < 0 ? "colder" :
		    "same";
		this.folded = "";	/* what a search looks at, once made */
	}

	/** What links have. */
	get key() {
		return this.stored.length > 200 ? "#" + this.rank :
		    this.stored + "@" + (this.data.hash_b ||
		    this.data.hash_a || "");
	}
}

/** @param {number} change of a share, of 1 */
function points(change) {
	return (change > 0 ? "+" : "") + (100 * change).toFixed(3) + "%";
}

/** @param {number} share of 1 */
function exactPercent(share) {
	return (100 * share).toFixed(3) + "%";
}

/**
 * The limits that were set, and whether they hold, as prof-diff says it.
 * @param {Subject} s
 */
function verdictList(s) {
	const list = element("ul", { class: "verdicts" });

	for (const v of s.verdicts || []) {
		const unit = v.unit === "percent" ? "%" : "";

		list.append(element("li", { class: v.verdict }, `${v.verdict}: ` +
		    `${v.option} ${v.limit}${unit}, it is ` +
		    `${Number(v.value.toPrecision(6))}${unit}`));
	}
	return list;
}

/**
 * @typedef {{word: string, records: string, a: number | undefined,
 *     b: number | undefined}} PartRow
 *
 * The overlap and what is not of it, with its parts of both profiles.
 * @param {Subject} s
 * @param {Change[]} changes
 * @returns {PartRow[]}
 */
function partRows(s, changes) {
	const rows = [{ word: "overlap", records: digits(s.common),
		a: s.overlap, b: s.overlap }];

	for (const word of ["hotter", "colder", "same"]) {
		const of = changes.filter((c) => c.word === word);

		if (of.length !== 0)
			rows.push({ word, records: digits(of.length),
				a: of.reduce((n, c) => n + c.a, 0),
				b: of.reduce((n, c) => n + c.b, 0) });
	}
	return [...rows, ...oneSidedRows(s)];
}

/**
 * @param {Subject} s
 * @returns {PartRow[]}
 */
function oneSidedRows(s) {
	/** @type {PartRow[]} */
	const rows = [{ word: "new", records: digits(s.new), a: undefined,
		b: s.new_share }, { word: "lost", records: digits(s.lost),
		a: s.lost_share, b: undefined }];

	if (s.stale !== undefined && s.stale.a + s.stale.b !== 0)
		rows.push({ word: "stale", records: `${digits(s.stale.a)} in ` +
		    `A, ${digits(s.stale.b)} in B`, a: s.stale_share?.a,
		    b: s.stale_share?.b });
	if (s.misfit)
		rows.push({ word: "misfit", records: digits(s.misfit),
			a: s.misfit_share?.a, b: s.misfit_share?.b });
	return rows;
}

/**
 * @param {PartRow[]} parts
 * @param {string} records
 * @param {string} unit
 * @param {((word: string) => void) | undefined} choose
 */
function partTable(parts, records, unit, choose) {
	const cell = (/** @type {number | undefined} */ share) =>
	    element("td", share === undefined ? {} : { class: "bar",
		"--part": 100 * share + "%" }, share === undefined ? "" :
		exactPercent(share));
	const rows = parts.map((row) => element("tr", { "data-part": row.word },
	    element("th", { scope: "row", class: "left" }, choose ===
		undefined || row.word === "overlap" ? row.word :
		element("button", { type: "button", class: "text " + row.word,
		    title: `Show the ${records} that are ${row.word}`,
		    onclick: () => choose(row.word) }, row.word)),
	    element("td", {}, row.records), cell(row.a), cell(row.b)));

	return element("table", { class: "parts" }, element("thead", {},
	    element("tr", {}, ...["part", records, `of the ${unit} of A`,
		`of the ${unit} of B`].map((title, i) => element("th",
		{ scope: "col", class: i === 0 ? "left" : "" }, title)))),
	    element("tbody", {}, ...rows));
}

/**
 * The two profiles, a column each.
 * @param {Subject} s
 * @param {[string, string, string][]} rows
 */
function sidesTable(s, rows) {
	const file = (/** @type {string} */ side) => visible(
	    s["file_" + side] !== undefined ? s["file_" + side] :
	    textOfHex(s[`file_${side}_hex`] || ""), 300);

	return element("table", { class: "sides" }, element("thead", {},
	    element("tr", {}, ...["", "A", "B"].map((title) => element("th",
		{ scope: "col" }, title)))), element("tbody", {},
	    ...[["file", file("a"), file("b")], ...rows].map(
		([name, a, b]) => element("tr", {}, element("th",
		{ scope: "row", class: "left" }, name), element("td", {}, a),
		element("td", {}, b)))));
}

/** @param {Subject} s */
function functionSides(s) {
	/** @type {[string, string, string][]} */
	const rows = [["functions", digits(s.functions.a),
	    digits(s.functions.b)], ["total count", digits(s.sum?.a || 0),
	    digits(s.sum?.b || 0)]];

	for (const [kind, name] of [["indirect_call_target", "indirect calls"],
	    ["mem_op_size", "memory operations"], ["vtable_target", "vtables"]]) {
		const v = s.values[kind];

		if (v.sum.a + v.sum.b !== 0)
			rows.push([name, digits(v.sum.a), digits(v.sum.b)],
			    [`overlap of ${name}`, exactPercent(v.overlap),
				""]);
	}
	return sidesTable(s, rows);
}

/**
 * @param {Subject} s
 * @param {Change[]} changes
 */
function overlapPanel(s, changes) {
	const name = s.context_sensitive ? "Context-sensitive functions" :
	    "Comparison";
	const listed = changes.filter((c) => c.data.state === "changed").length;
	const made = panel("comparison", `${name}: ${exactPercent(s.overlap)} overlap`, verdictList(s),
	    element("div", { class: "columns" }, functionSides(s),
		partTable(partRows(s, changes), "functions", "counts",
		    (word) => view.set({ class: word }))),
	    element("p", { class: "hint" }, "Each count is a share of all " +
		"counts of its profile; the overlap is the sum of the lesser " +
		"of both shares. Functions in both profiles are hotter or " +
		"colder than in A. Stale ones have another hash; misfits have " +
		"the same hash and other numbers of counters."));

	if (listed + s.misfit < s.common)
		made.append(element("p", { class: "hint" }, `Of the ` +
		    `${digits(s.common)} functions that both have, ` +
		    `${digits(s.common - listed)} without a count, or with ` +
		    "small changes if the page has a limit, are not listed."));
	return made;
}

/**
 * The sections of the functions of one kind; if there are two kinds, one chooses.
 * @param {Comparison[]} kinds
 * @param {number} profiles in the page
 */
function functionComparison(kinds, profiles) {
	const chosen = Math.min(kinds.length - 1, Number(view.get("kind")) ||
	    0);
	const changes = kinds[chosen].rows.map((data, i) => new Change(data,
	    i));
	const made = overlapPanel(kinds[chosen].subject, changes);

	if (kinds.length > 1)
		made.prepend(choice("Functions", [["", "plain"],
		    ["1", "context-sensitive"]], () => view.get("kind"), (kind) => {
			view.set({ kind, fn: "", class: "" });
			location.reload();
		}));
	return changes.length === 0 ? [made] : [made, element("div",
	    { class: "columns" }, scatterPanel(changes),
	    driftPanel(changes)), changesPanel(changes, profiles)];
}

/**
 * The sections of a comparison.
 * @param {Comparison[]} comparison
 * @param {number} profiles in the page
 */
function comparisonSections(comparison, profiles) {
	const functions = comparison.filter((c) => c.names === undefined);
	const heap = comparison.find((c) => c.names !== undefined);

	return [...(functions.length === 0 ? [] :
	    functionComparison(functions, profiles)),
	    ...(heap === undefined ? [] : heapComparison(heap.subject,
		heap.rows, heap.names || []))];
}
