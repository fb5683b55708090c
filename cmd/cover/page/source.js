/* A source with its counts, or the counts without it. */

/**
 * @typedef {object} SourceRow a line, or a branch that is told below one
 * @property {number} line
 * @property {Count} [count] of a line with code
 * @property {string} [text] of a branch
 * @property {string} kind class
 */

/* Bytes of a line that are shown, rows of a source on paper. */
const longestLine = 4000, printedLines = 20000;

/** The file on view: where its lines begin, and what of them did not run. */
class Source {
	/**
	 * @param {FileData} file
	 * @param {FileRecord} record
	 * @param {Uint8Array} bytes
	 */
	constructor(file, record, bytes) {
		this.file = file;
		this.record = record;
		this.bytes = bytes;
		this.changed = changedLines(file);
		/** @type {number[]} and the end of the last one */
		this.starts = [0];
		for (let at = 0; at < bytes.length;) {
			const end = bytes.indexOf(newline, at);

			at = end < 0 ? bytes.length : end + 1;
			this.starts.push(at);
		}
		this.size = this.starts.length - 1;
		/** @type {Map<number, [number, number][]>} offsets in lines */
		this.missed = new Map();
		for (let i = 0; i < record.missed.length; i += 2) {
			const [line, column] = record.missed[i];
			const [last, end] = record.missed[i + 1];

			/* Of lines between them, the count is 0. */
			this.addMissed(line, column - 1, line === last ?
			    end - 1 : Infinity);
			if (line !== last)
				this.addMissed(last, 0, end - 1);
		}
	}

	/**
	 * Blanks at the begin of a line do not count.
	 * @param {number} line
	 * @param {number} from
	 * @param {number} to
	 */
	addMissed(line, from, to) {
		const bytes = this.lineBytes(line), found = this.missed.get(line);

		while (bytes[from] === 32 || bytes[from] === 9)
			from++;
		if (from >= (this.size === 0 ? to : Math.min(to, bytes.length)))
			return;
		if (found === undefined)
			this.missed.set(line, [[from, to]]);
		else
			found.push([from, to]);
	}

	/** @param {number} line */
	lineBytes(line) {
		const from = this.starts[line - 1];
		let to = this.starts[line] || 0;

		while (to > from && (this.bytes[to - 1] === newline ||
		    this.bytes[to - 1] === 13))
			to--;
		return this.bytes.subarray(from, to);
	}

	/**
	 * A line, what did not run of it underlined.
	 * @param {SourceRow} row
	 */
	lineText({ line, count }) {
		const made = element("span", { class: "code" });
		const bytes = this.lineBytes(line);
		let at = 0;

		for (const [from, to] of count === 0 ? [] :
		    this.missed.get(line) || []) {
			if (from >= longestLine)
				break;
			made.append(shownText(bytes.subarray(at, from)),
			    element("u", {}, shownText(bytes.subarray(from,
				Math.min(to, bytes.length)))));
			at = to;
		}
		if (at < bytes.length)
			made.append(shownText(bytes.subarray(at)));
		return made;
	}

	/**
	 * Both counts of a branch, and a mark at a side that was never taken.
	 * @param {Branch} branch
	 * @returns {SourceRow}
	 */
	branchRow([line, column, endLine, endColumn, taken, other, folded]) {
		const side = (/** @type {string} */ name,
		    /** @type {Count} */ count, /** @type {number} */ never) =>
		    name + (never ? " never, folded" : count === 0 ? " 0 ✗" :
			" " + digits(count));
		/* Of what did not run, the line tells. */
		const missed = ((taken === 0 && !(folded & 1)) ||
		    (other === 0 && !(folded & 2))) && taken !== other;
		const text = shownText(this.lineBytes(line).subarray(column - 1,
		    endLine === line ? endColumn - 1 : undefined), 120);

		return { line, kind: missed ? "note missing" : "note",
			text: `branch ${line}:${column} ${text}: ` +
			    side("true", taken, folded & 1) + ", " +
			    side("false", other, folded & 2) };
	}

	/**
	 * Lines with counts, those between them if there is a source, and
	 * branches.
	 * @returns {SourceRow[]}
	 */
	rows() {
		const shown = view.get("branches");
		const patch = view.get("only") === "patch";
		const branches = this.record.branches.map((branch) =>
		    this.branchRow(branch)).filter((row) => shown === "all" ||
		    (shown === "" && row.kind !== "note"));
		/** @type {SourceRow[]} */
		const rows = [];
		let line = 1, at = 0;
		const upTo = (/** @type {number} */ end,
		    /** @type {Count | undefined} */ count) => {
			for (; line < end; line++) {
				const changed = this.changed.has(line);
				const kind = count === undefined ? "" :
				    count === 0 ? "missed" :
				    this.missed.has(line) ? "partly" : "ran";

				if (changed || !patch)
					rows.push({ line, count, kind: kind +
						(changed ? " changed" : "") });
				for (; at < branches.length &&
				    branches[at].line <= line; at++)
					if (changed || !patch)
						rows.push(branches[at]);
			}
		};

		for (const [from, size, count] of this.record.lines) {
			upTo(Math.min(from, this.size + 1), undefined);
			line = from;
			upTo(from + size, count);
		}
		upTo(this.size + 1, undefined);
		return rows;
	}
}

/**
 * Tabs stay, other characters that could deceive do not.
 * @param {Uint8Array} bytes
 * @param {number} [most]
 */
function shownText(bytes, most = longestLine) {
	return utf8.decode(bytes.subarray(0, most)).split("\t").map((text) =>
	    visible(text)).join("\t") + (bytes.length > most ? " … " +
	    counted(bytes.length - most, "byte") + " more" : "");
}

/**
 * @param {() => Source | undefined} shown
 * @returns {Column<SourceRow>[]}
 */
function sourceColumns(shown) {
	return [
		{ id: "line", title: "line", width: "5rem", cell: (row) =>
		    row.text !== undefined ? "" : (row.kind.includes("changed") ?
			"+ " : "") + row.line },
		{ id: "count", title: "count", width: "6rem", cell: (row) =>
		    row.count === undefined ? "" : digits(row.count) },
		{ id: "text", title: "source", left: true,
		    width: "max-content", cell: (row) => row.text !== undefined ?
		    element("span", { class: "told" }, row.text) :
		    shown()?.lineText(row) || "" },
	];
}

/** @param {Coverage} coverage */
function sourcePanel(coverage) {
	/** @type {Source | undefined} */
	let now;
	/** @type {number[]} where rows of what was missed begin */
	let stops = [];
	const told = element("p", { class: "hint", role: "status" });
	const table = new Table("Source", sourceColumns(() => now), {
		choose: (row) => view.set({ line: String(row.line) }),
		sort: () => undefined, kind: (row) => row.kind, height: 20,
		printed: printedLines, empty: "Choose a file or a function." });
	const step = (/** @type {number} */ by) => {
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
	const mark = () => table.mark(table.rows.findIndex((row) =>
	    row.line >= Number(view.get("line") || Infinity)), 5);
	const draw = () => {
		const rows = now === undefined ? [] : now.rows();
		const missed = rows.map((row) => /miss|part/.test(row.kind));

		stops = [...rows.keys()].filter((i) => missed[i] &&
		    !(i > 0 && missed[i - 1]));
		told.textContent = now === undefined ? "" : (now.file.source ?
		    "" : "The page does not have the source. ") +
		    counted(stops.length, "place") + " missed";
		table.show(rows, "");
		mark();
	};
	const load = async () => {
		const path = view.get("file");
		const file = coverage.files.find((f) => f.path === path);

		if (file === undefined || now?.file === file)
			return;
		const { record, source } = await coverage.read(file);

		if (view.get("file") !== path)
			return;
		now = new Source(file, record, source);
		made.querySelector("h2")?.replaceChildren(visible(path, 400));
		draw();
		made.scrollIntoView();
	};

	table.root.id = "source-table";
	draw();
	document.addEventListener("keydown", (event) => {
		if ((event.key === "n" || event.key === "p") &&
		    !(event.target instanceof Element &&
		    event.target.matches("input, select")) &&
		    !event.ctrlKey && !event.altKey && !event.metaKey)
			step(event.key === "n" ? 1 : -1);
	});
	view.on(["file"], load);
	view.on(["line"], mark);
	view.on(["branches", "only"], draw);
	return { made, load };
}
