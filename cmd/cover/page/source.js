/* A source with its counts, or the counts without it. */

/**
 * @typedef {object} SourceRow a line, lines without text, or what is told of one
 * @property {number} line
 * @property {number} size lines
 * @property {Count} [count] of lines that have one
 * @property {string} text of what is told, or ""
 * @property {string} kind class
 * @property {FileData} [to] where the row leads
 * @property {number} [toLine]
 */

/* Bytes of a line that are shown, rows of a source on paper. */
const longestLine = 4000, printedLines = 20000;

/** A source: where its lines begin, and what of them did not run. */
class Source {
	/**
	 * @param {FileRecord} record
	 * @param {Uint8Array} bytes
	 */
	constructor(record, bytes) {
		this.bytes = bytes;
		this.missed = record.missed;
		/** @type {number[]} and the end of the last one */
		this.starts = [0];
		for (let at = 0; at < bytes.length;) {
			const end = bytes.indexOf(newline, at);

			at = end < 0 ? bytes.length : end + 1;
			this.starts.push(at);
		}
		this.size = this.starts.length - 1;
	}

	/** @param {number} line */
	lineBytes(line) {
		const from = this.starts[line - 1];
		let to = this.starts[line];

		while (to > from && (this.bytes[to - 1] === newline ||
		    this.bytes[to - 1] === 13))
			to--;
		return this.bytes.subarray(from, to);
	}

	/**
	 * From and to where a line did not run, as offsets of its bytes; blanks
	 * at its begin do not count.
	 * @param {number} line
	 */
	missedOf(line) {
		const bytes = line <= this.size ? this.lineBytes(line) :
		    undefined;
		const blank = bytes === undefined ? 0 :
		    bytes.findIndex((c) => c !== 32 && c !== 9);
		/** @type {[number, number][]} */
		const found = [];
		let low = 0, high = this.missed.length / 2;

		/* The first that ends on this line or behind it. */
		while (low < high) {
			const mid = (low + high) >> 1;

			if (this.missed[2 * mid + 1][0] < line)
				low = mid + 1;
			else
				high = mid;
		}
		for (; 2 * low < this.missed.length &&
		    this.missed[2 * low][0] <= line; low++) {
			const [start, end] = this.missed.slice(2 * low,
			    2 * low + 2);
			const from = start[0] < line ? Math.max(0, blank) :
			    start[1] - 1;
			const to = end[0] > line ? Infinity : end[1] - 1;

			if (from < Math.min(to, bytes === undefined ?
			    Infinity : bytes.length))
				found.push([from, to]);
		}
		return found;
	}

	/**
	 * The text between two places, for a row.
	 * @param {number[]} place line, column, line, column
	 */
	textOf([line, column, endLine, endColumn]) {
		return line > this.size ? "" : shownText(this.lineBytes(line)
		    .subarray(column - 1, endLine === line ? endColumn - 1 :
			undefined), 120);
	}
}

/**
 * Tabs stay, other characters that could deceive do not.
 * @param {Uint8Array} bytes
 * @param {number} most
 */
function shownText(bytes, most) {
	return utf8.decode(bytes.subarray(0, most)).split("\t").map((text) =>
	    visible(text)).join("\t") + (bytes.length > most ? " … " +
	    counted(bytes.length - most, "byte") + " more" : "");
}

/**
 * A line, what did not run of it underlined.
 * @param {Source} source
 * @param {SourceRow} row
 */
function lineText(source, row) {
	const made = element("span", { class: "code" });
	let at = 0;

	if (row.text !== "" || row.line > source.size)
		return element("span", { class: row.text === "" ? "" : "told" },
		    row.text);
	const bytes = source.lineBytes(row.line);

	for (const [from, to] of row.kind.includes("partly") ?
	    source.missedOf(row.line) : []) {
		if (from >= longestLine)
			break;
		made.append(shownText(bytes.subarray(at, from), longestLine),
		    element("u", {}, shownText(bytes.subarray(from,
			to === Infinity ? undefined : to), longestLine)));
		at = to;
	}
	if (at < bytes.length)
		made.append(shownText(bytes.subarray(at), longestLine));
	return made;
}

/**
 * What is told of branches: both counts, and a mark at a side never taken.
 * @param {Source} source
 * @param {Row} row
 * @returns {SourceRow}
 */
function branchRow(source, [line, column, , endLine, endColumn, taken, other,
    folded]) {
	const side = (/** @type {string} */ name, /** @type {Count} */ count,
	    /** @type {number} */ never) => name + (never ? " never, folded" :
	    count === 0 ? " 0 ✗" : " " + digits(count));
	/* Of what did not run, the line tells. */
	const missed = ((taken === 0 && !(folded & 1)) ||
	    (other === 0 && !(folded & 2))) && taken !== other;

	return { line, size: 0, kind: missed ? "note missing" : "note",
		text: `branch ${line}:${column} ` + source.textOf([line, column,
		    endLine, endColumn]) + `: ${side("true", taken,
		    folded & 1)}, ${side("false", other, folded & 2)}` };
}

/**
 * Decisions of instances are one: a condition is covered if it is in one.
 * @param {Decision[]} decisions
 * @returns {SourceRow[]}
 */
function decisionRows(decisions) {
	/** @type {Map<string, Decision>} */
	const found = new Map();

	for (const [place, conditions, ways] of decisions) {
		const key = [...place, conditions.length].join();
		const old = found.get(key);

		if (old === undefined) {
			found.set(key, [place, conditions, ways]);
			continue;
		}
		conditions.forEach((c, i) => {
			old[1][i][2] = Math.max(old[1][i][2], c[2]);
		});
		old[2] = [...new Set([...old[2], ...ways])];
	}
	return [...found.values()].map(([[line, column], conditions, ways]) =>
	    ({ line, size: 0, kind: ways.length && conditions.some((c) => c[2] ===
		0) ? "note missing" : "note", text: `MC/DC ${line}:${column} ` +
		conditions.map((c, i) => `C${i + 1} ${c[0]}:${c[1]} ` +
		    (c[2] === 2 ? "folded" : c[2] === 1 ? "✓" : "✗"))
		    .join(", ") + (ways.length === 0 ? "" : "; ran: " +
		    ways.slice(0, 32).join(" ")) }));
}

/**
 * What is told below lines.
 * @param {Coverage} coverage
 * @param {FileRecord} record
 * @param {Source} source
 */
function toldRows(coverage, record, source) {
	const shown = view.get("branches");
	const rows = decisionRows(record.decisions);
	let last = "";

	for (const row of record.rows) {
		const [line, column, macro, toLine] = row;
		const to = coverage.files[macro - 1], key = row.slice(0, 4).join();

		if (macro === 0)
			rows.push(branchRow(source, row));
		else if (key !== last)
			rows.push({ line, size: 0, kind: "note missing link",
				text: `macro ${line}:${column} ✗ ` +
				    visible(to.path, 200) + ":" + toLine,
				to, toLine });
		last = key;
	}
	return rows.filter((row) => shown === "all" || (shown !== "none" &&
	    row.kind !== "note")).sort((a, b) => a.line - b.line);
}

/**
 * Lines with counts, those between them if there is a source, and what is told
 * of them.
 * @param {Coverage} coverage
 * @param {FileData} file
 * @param {FileRecord} record
 * @param {Source} source
 */
function sourceRows(coverage, file, record, source) {
	const told = toldRows(coverage, record, source);
	const only = view.get("only") === "patch";
	/** @type {SourceRow[]} */
	const rows = [];
	let next = 1, at = 0, range = 0;
	const add = (/** @type {number} */ line, /** @type {number} */ size,
	    /** @type {Count | undefined} */ count) => {
		const ranges = file.changed;

		while (range < ranges.length && ranges[range][1] < line)
			range++;
		const changed = range < ranges.length && ranges[range][0] <
		    line + size;

		if (changed || !only)
			rows.push({ line, size, count, text: "", kind:
				(count === undefined ? "" : count === 0 ?
				"missed" : source.missedOf(line).length ?
				"partly" : "ran") + (changed ? " changed" :
				"") });
		for (; at < told.length && told[at].line < line + size; at++)
			if (changed || !only)
				rows.push(told[at]);
	};
	const upTo = (/** @type {number} */ end) => {
		for (; next < end && next <= source.size; next++)
			add(next, 1, undefined);
	};

	for (const [line, size, count] of record.lines) {
		upTo(line);
		for (next = line; next < line + size && next <= source.size;)
			add(next++, 1, count);
		if (next < line + size)
			add(next, line + size - next, count);
		next = line + size;
	}
	upTo(Infinity);
	return rows;
}

/** The file on view. */
class Shown {
	/**
	 * @param {Coverage} coverage
	 * @param {FileData} file
	 * @param {FileRecord} record
	 * @param {Uint8Array} bytes
	 */
	constructor(coverage, file, record, bytes) {
		this.coverage = coverage;
		this.file = file;
		this.record = record;
		this.source = new Source(record, bytes);
		/** @type {SourceRow[]} */
		this.rows = [];
		/** @type {number[]} where rows of what was missed begin */
		this.stops = [];
		this.make();
	}

	make() {
		this.rows = sourceRows(this.coverage, this.file, this.record,
		    this.source);
		const missed = this.rows.map((row) => /miss|part/.test(
		    row.kind));
		this.stops = [...missed.keys()].filter((i) => missed[i] &&
		    !(i > 0 && missed[i - 1]));
	}

	told() {
		const { record, source, stops } = this;
		const last = record.lines[record.lines.length - 1];
		const note = this.coverage.index.source_less ?
		    "The page has no sources." : !this.file.source ?
		    "The source was not found: there are counts only." :
		    last !== undefined && last[0] + last[1] - 1 > source.size ?
		    "The source is shorter than the coverage: it is not the " +
		    "one that was compiled." : "";
		const parts = kindTitles.filter(([kind]) => partOf(
		    this.file.sum, kind).size !== 0).map(([kind, title]) =>
		    title + " " + coveredText(partOf(this.file.sum, kind)));

		return [note, ...parts, counted(stops.length, "place") +
		    " missed"].filter((text) => text !== "").join(" · ");
	}
}

/**
 * @param {() => Shown | undefined} shown
 * @returns {Column<SourceRow>[]}
 */
function sourceColumns(shown) {
	return [
		{ id: "line", title: "line", width: "5rem", cell: (row) =>
		    row.size === 0 ? "" : (row.kind.includes("changed") ?
			"+ " : "") + row.line + (row.size > 1 ? "–" +
			(row.line + row.size - 1) : "") },
		{ id: "count", title: "count", width: "6rem", cell: (row) =>
		    row.count === undefined ? "" : digits(row.count) },
		{ id: "text", title: "source", left: true,
		    width: "max-content", cell: (row) => {
			const now = shown();

			return now === undefined ? "" : lineText(now.source,
			    row);
		    } },
	];
}

/**
 * Calls the function of a key, unless it is for a field.
 * @param {Record<string, () => void>} calls
 */
function onKey(calls) {
	document.addEventListener("keydown", (event) => {
		if (event.key in calls && !(event.target instanceof Element &&
		    event.target.matches("input, select")) && !event.ctrlKey &&
		    !event.altKey && !event.metaKey)
			calls[event.key]();
	});
}

/** @param {Coverage} coverage */
function sourcePanel(coverage) {
	/** @type {Shown | undefined} */
	let now;
	const told = element("p", { class: "hint", role: "status" });
	const table = new Table("Source", sourceColumns(() => now), {
		choose: (row) => view.set(row.to === undefined ? { line:
			String(row.line) } : { file: row.to.path,
			line: String(row.toLine) }),
		sort: () => undefined, kind: (row) => row.kind, height: 20,
		printed: printedLines, empty: "Choose a file or a function." });
	const step = (/** @type {number} */ by) => {
		const stops = now === undefined ? [] : now.stops;
		const stop = by > 0 ? stops.find((i) => i > table.chosen) :
		    [...stops].reverse().find((i) => i < table.chosen);

		if (stop === undefined)
			return;
		view.set({ line: String(table.rows[stop].line) });
		table.mark(stop, 5);
	};
	const button = (/** @type {string} */ text, /** @type {number} */ by) =>
	    element("button", { type: "button", onclick: () => step(by) },
		text);
	const made = panel("source", "Source", element("div", { class: "row" },
	    button("◀ missed (p)", -1), button("missed ▶ (n)", 1),
	    element("span", { class: "hint" }, "branches"),
	    choice("Branches", [["", "missed"], ["all", "all"],
		["none", "none"]], () => view.get("branches"), (branches) =>
		view.set({ branches }))), told, table.root);
	const mark = () => table.mark(table.rows.findIndex((row) => row.size >
	    0 && row.line + row.size > Number(view.get("line") || Infinity)),
	    5);
	const draw = () => {
		if (now === undefined)
			return;
		now.make();
		told.textContent = now.told();
		table.show(now.rows, "");
		mark();
	};
	const load = async () => {
		const path = view.get("file"), file = coverage.fileOf(path);

		if (file === undefined || (now !== undefined && now.file ===
		    file))
			return;
		const { record, source } = await coverage.read(file);

		if (view.get("file") !== path)
			return;
		now = new Shown(coverage, file, record, source);
		made.querySelector("h2")?.replaceChildren(visible(path, 400));
		draw();
		made.scrollIntoView();
	};

	table.root.id = "source-table";
	table.show([], "");
	onKey({ n: () => step(1), p: () => step(-1) });
	view.on(["file"], load);
	view.on(["line"], mark);
	view.on(["branches", "only"], draw);
	return { made, load };
}
