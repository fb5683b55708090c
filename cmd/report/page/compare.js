/* Two profiles compared, OLD and NEW. */

/**
 * @typedef {{old: number, new: number}} Pair
 *
 * @typedef {Record<string, any>} Subject as of prof-diff --json
 *
 * @typedef {object} ChangeData as of prof-diff --json
 * @property {string} state
 * @property {string} [name]
 * @property {string} [name_hex]
 * @property {string} [guid]
 * @property {string} [demangled]
 * @property {string} [demangled_hex]
 * @property {string} [hash_old]
 * @property {string} [hash_new]
 * @property {{old: Count, new: Count}} count
 * @property {Pair} share
 * @property {number} [ratio]
 * @property {string} [old_name]
 * @property {string} [old_name_hex]
 * @property {number} [overlap]
 *
 * @typedef {object} Comparison
 * @property {Subject} subject
 * @property {Record<string, string>} meanings of states
 * @property {any[]} rows changes, the largest first; or contexts
 * @property {string[]} [names] of the frames of contexts
 */

/**
 * The words for states, in the order of prof-diff.
 * @param {Subject} s
 */
function stateWords(s) {
	return Object.keys(s.states);
}

/** @param {string} word */
function stateCell(word) {
	return element("span", { class: stateClass(word) }, word);
}

/**
 * As prof-diff prints it: with an exponent if it is far from 1.
 * @param {number | undefined} ratio of NEW to OLD; or OLD has no count
 */
function ratioText(ratio) {
	const x = Number((ratio ?? 0).toPrecision(3));

	return ratio === undefined ? "" : x === 0 || (x >= 1e-4 && x < 1000) ?
	    `${x}x` : `${x.toExponential().replace(/(?<=[+-])\d$/, "0$&")}x`;
}

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
		this.oldName = data.old_name !== undefined ? data.old_name :
		    data.old_name_hex !== undefined ?
		    textOfHex(data.old_name_hex) : this.stored;
		this.label = data.demangled !== undefined ? data.demangled :
		    data.demangled_hex !== undefined ?
		    textOfHex(data.demangled_hex) : this.stored;
		this.file = data.guid === undefined ? filePart(this.stored) :
		    "";
		this.old = data.share.old;
		this.new = data.share.new;
		this.change = this.new - this.old;
		this.word = data.state;
		this.folded = "";	/* what a search looks at, once made */
	}

	/** What links have. */
	get key() {
		return this.stored.length > 200 ? "#" + this.rank :
		    this.stored + "@" + (this.data.hash_new ||
		    this.data.hash_old || "");
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
 * The overlap, and the functions or contexts of each state with their parts of
 * both profiles.
 * @param {Comparison} c
 * @param {string} records "functions" or "contexts"
 * @param {string} unit
 * @param {((word: string) => void) | undefined} choose
 */
function partTable(c, records, unit, choose) {
	const s = c.subject;
	const cell = (/** @type {number} */ share) => element("td",
	    { class: "bar", "--part": 100 * share + "%" },
	    exactPercent(share));
	const row = (/** @type {string} */ word, /** @type {any} */ title,
	    /** @type {Count} */ n, /** @type {Pair} */ share) =>
	    element("tr", { "data-part": word }, element("th",
		{ scope: "row", class: "left" }, title), element("td", {},
		digits(n)), cell(share.old), cell(share.new));
	const rows = stateWords(s).filter((word) => s.states[word][records] !==
	    0).map((word) => row(word, choose === undefined ?
		stateCell(word) : element("button", { type: "button",
		    class: "text " + stateClass(word),
		    title: `Show the ${records} that ${c.meanings[word]}`,
		    onclick: () => choose(word) }, word),
		s.states[word][records], s.states[word].share));

	return element("table", { class: "parts" }, element("thead", {},
	    element("tr", {}, ...["state", records, `of the ${unit} of OLD`,
		`of the ${unit} of NEW`].map((title, i) => element("th",
		{ scope: "col", class: i === 0 ? "left" : "" }, title)))),
	    element("tbody", {}, row("overlap", "overlap", s.common,
		{ old: s.overlap, new: s.overlap }), ...rows));
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
	    element("tr", {}, ...["", "OLD", "NEW"].map((title) => element("th",
		{ scope: "col" }, title)))), element("tbody", {},
	    ...[["file", file("old"), file("new")], ...rows].map(
		([name, a, b]) => element("tr", {}, element("th",
		{ scope: "row", class: "left" }, name), element("td", {}, a),
		element("td", {}, b)))));
}

/** @param {Subject} s */
function functionSides(s) {
	/** @type {[string, string, string][]} */
	const rows = [["functions", digits(s.functions.old),
	    digits(s.functions.new)], ["total count", digits(s.sum?.old || 0),
	    digits(s.sum?.new || 0)]];

	for (const [kind, name] of [["indirect_call_target", "indirect calls"],
	    ["mem_op_size", "memory operations"], ["vtable_target", "vtables"]]) {
		const v = s.values[kind];

		if (v.sum.old + v.sum.new !== 0)
			rows.push([name, digits(v.sum.old), digits(v.sum.new)],
			    [`overlap of ${name}`, exactPercent(v.overlap),
				""]);
	}
	return sidesTable(s, rows);
}

/**
 * @param {Comparison} c
 * @param {Change[]} changes
 */
function overlapPanel(c, changes) {
	const s = c.subject;
	const name = s.context_sensitive ? "Context-sensitive functions" :
	    "Comparison";
	const all = stateWords(s).reduce((n, word) => n +
	    s.states[word].functions, 0);
	const made = panel("comparison", `${name}: ` +
	    `${exactPercent(s.overlap)} overlap`, verdictList(s),
	    element("div", { class: "columns" }, functionSides(s),
		partTable(c, "functions", "counts", (word) => view.set({
		    class: word }))),
	    element("p", { class: "hint" }, "Each count is a share of all " +
		"counts of its profile; the overlap is the sum of the lesser " +
		"of both shares."));

	if (s.states.moved.functions !== 0)
		made.append(element("p", { class: "hint" }, "prof-filter " +
		    "--strip-path makes the names of moved functions alike, or " +
		    "--for if only ; and : differ."));
	if (changes.length < all)
		made.append(element("p", { class: "hint" },
		    `${digits(all - changes.length)} functions without a ` +
		    "count, or with small changes if the page has a limit, " +
		    "are not listed."));
	return made;
}

/**
 * The sections of the functions of one kind; if there are two, one chooses.
 * @param {Comparison[]} kinds
 * @param {number} profiles in the page
 */
function functionComparison(kinds, profiles) {
	const chosen = Math.min(kinds.length - 1, Number(view.get("kind")) ||
	    0);
	const changes = kinds[chosen].rows.map((data, i) => new Change(data,
	    i));
	const made = overlapPanel(kinds[chosen], changes);
	const words = stateWords(kinds[chosen].subject);

	if (kinds.length > 1)
		made.prepend(choice("Functions", [["", "plain"],
		    ["1", "context-sensitive"]], () => view.get("kind"), (kind) => {
			view.set({ kind, fn: "", class: "" });
			location.reload();
		}));
	return changes.length === 0 ? [made] : [made, element("div",
	    { class: "columns" }, scatterPanel(changes, words),
	    driftPanel(changes, words)),
	    changesPanel(changes, words, profiles)];
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
	    ...(heap === undefined ? [] : heapComparison(heap,
		heap.names || []))];
}
