/* The data of the page: what prof-report wrote, and what is computed of it. */

/**
 * @typedef {{target?: string, target_hex?: string, target_guid?: string,
 *     size?: Count, count: Count}} Value
 *
 * @typedef {object} FunctionData as of prof-show --json
 * @property {string} [name]
 * @property {string} [name_hex]
 * @property {string} [guid]
 * @property {string} [demangled] left out if it is the name
 * @property {string} [demangled_hex]
 * @property {string} hash
 * @property {boolean} [context_sensitive]
 * @property {string} [pseudo]
 * @property {Count} [max_count]
 * @property {number} counters
 * @property {Count[]} counts
 * @property {Record<string, Value[][]>} values
 * @property {string} [bitmap]
 *
 * @typedef {"hot" | "warm" | "cold"} ClassName
 *
 * @typedef {{weight: Count, functions: string[]}} Trace
 *
 * @typedef {object} Profile
 * @property {Record<string, any>} summary as of prof-show --json --cutoffs
 * @property {{hot: Count, cold: Count}} thresholds
 * @property {Record<"sum" | "max" | "entries" | "counters", Count[]>} columns
 * @property {[number, "hot" | "warm"][]} pseudo functions, by rank
 * @property {number[]} tallies of counters: zeros, then by powers of two
 * @property {Lines} lines of the functions by share: FunctionData
 * @property {Fn[]} fns the same, with what is computed of them
 * @property {Trace[]} [traces]
 * @property {string[]} [order] that of prof-order
 * @property {Heap} [heap]
 * @property {number} total of the counters of all functions
 * @property {boolean} cut some functions were left out
 * @property {Map<string, Fn>} [names] once functionNamed has looked for one
 */

/** @type {ClassName[]} */
const classNames = ["hot", "warm", "cold"];

const brace = 123;

/** Objects of JSON, a line each, that are parsed when they are asked for. */
class Lines {
	/**
	 * @param {Uint8Array} bytes
	 * @param {number} from the first line
	 */
	constructor(bytes, from) {
		this.bytes = bytes;
		/** @type {number[]} and the end of the last one */
		this.starts = [from];
		let at = from;

		while (bytes[at] === brace) {
			at = bytes.indexOf(newline, at) + 1;
			this.starts.push(at);
		}
		this.end = at;
		this.last = -1;
		/** @type {any} */
		this.parsed = null;
	}

	/**
	 * @param {number} from
	 * @param {number} to
	 */
	text(from, to) {
		return utf8.decode(this.bytes.subarray(from, to));
	}

	/** @param {number} i */
	object(i) {
		if (this.last !== i) {
			this.parsed = JSON.parse(this.text(this.starts[i],
			    this.starts[i + 1]).replace(/,?\n$/, ""));
			this.last = i;
		}
		return this.parsed;
	}

	/**
	 * The first members of an object, up to a member whose value has a fixed
	 * size.  Keys cannot occur in strings, whose quotes are escaped.
	 * @param {number} i
	 * @param {string} key
	 * @param {number} size of the value
	 */
	head(i, key, size) {
		const [from, end] = this.starts.slice(i, i + 2);
		const mark = `"${key}":`;

		for (let room = 256;; room *= 8) {
			const text = this.text(from, Math.min(end, from +
			    room));
			const at = text.indexOf(mark);
			const to = at + mark.length + size;

			if (at >= 0 && to <= text.length)
				return JSON.parse(text.slice(0, to) + "}");
			if (from + room >= end)
				return this.object(i);
		}
	}
}

/**
 * The data of the page; functions stay lines.
 * @returns {Promise<{profiles: Profile[], comparison?: Comparison[]}>}
 */
async function readData() {
	const bytes = await inflated(packedData());
	const mark = new TextEncoder().encode('"functions":[\n');
	/** @type {Lines[]} */
	const found = [];
	let text = "", from = 0;

	for (let at = bytes.indexOf(newline); at >= 0;
	    at = bytes.indexOf(newline, at + 1)) {
		const start = at + 1 - mark.length;

		if (start < from || !mark.every((c, i) =>
		    bytes[start + i] === c))
			continue;
		const lines = new Lines(bytes, at + 1);

		text += lines.text(from, at);
		found.push(lines);
		from = at = lines.end;
	}
	text += utf8.decode(bytes.subarray(from));
	const data = JSON.parse(text);

	for (const p of data.profiles)
		p.lines = p.columns.sum.length === 0 ? undefined :
		    found.shift();
	return data;
}

/**
 * The file part of a local name, as lib/model/symtab.c finds it.
 * @param {string} name
 */
function filePart(name) {
	const semicolon = name.indexOf(";");

	if (semicolon >= 0)
		return name.slice(0, semicolon);
	if (!name.includes(":"))
		return "";
	const bracket = name.search(/[-+]\[/);
	const colon = (bracket < 0 ? name : name.slice(0, bracket))
	    .lastIndexOf(":");
	return colon < 0 ? "" : name.slice(0, colon);
}

/**
 * By the largest counter, as a compiler looks at counters one by one
 * (summary_classify in lib/model/summary.c).
 * @param {Profile} profile
 * @param {Count} count
 * @returns {ClassName}
 */
function classify(profile, count) {
	const { hot, cold } = profile.thresholds;

	return compareCounts(count, hot) >= 0 ? "hot" :
	    compareCounts(count, cold) <= 0 ? "cold" : "warm";
}

/** @param {{name?: string, name_hex?: string, guid?: string}} f */
function storedName(f) {
	return f.name !== undefined ? f.name : f.name_hex !== undefined ?
	    textOfHex(f.name_hex) : f.guid || "";
}

/** A function, with what is computed of it; its line is read when needed. */
class Fn {
	/**
	 * @param {Profile} p
	 * @param {number} rank by share, from 0
	 */
	constructor(p, rank) {
		this.lines = p.lines;
		this.rank = rank;
		/** @type {"hot" | "warm" | undefined} */
		this.pseudo = undefined;
		this.counters = Number(p.columns.counters[rank]);
		this.sum = Number(p.columns.sum[rank]);
		this.max = p.columns.max[rank];
		/** Of the first counter, as pseudo counts have none. */
		this.entries = p.columns.entries[rank];
		this.kind = classify(p, this.max);
		this.share = 0;
		this.running = 0;	/* share up to this one */
		this.folded = "";	/* what a search looks at, once made */
		/** @type {string[] | null} */
		this.names = null;
	}

	/** @returns {FunctionData} */
	get data() {
		return this.lines.object(this.rank);
	}

	/** Its name as the profile has it, or its guid; label, file and hash. */
	get named() {
		if (this.names === null) {
			/** @type {FunctionData} */
			const head = this.lines.head(this.rank, "hash", 20);
			const stored = storedName(head);

			this.names = [stored, head.demangled !== undefined ?
			    head.demangled : head.demangled_hex !== undefined ?
			    textOfHex(head.demangled_hex) : stored,
			    head.guid === undefined ? filePart(stored) : "",
			    head.hash];
		}
		return this.names;
	}

	get stored() {
		return this.named[0];
	}

	get label() {
		return this.named[1];
	}

	/** Of a local name, or "". */
	get file() {
		return this.named[2];
	}

	get counts() {
		return this.data.counts;
	}

	/** What links have. */
	get key() {
		return this.stored.length > 200 ? "#" + this.rank :
		    this.stored + "@" + this.named[3];
	}

	/** The exact sum of the counters; pseudo counts are none. */
	get exactSum() {
		let sum = 0n;

		if (this.pseudo === undefined)
			for (const count of this.counts)
				sum += BigInt(count);
		return sum;
	}
}

/** @param {Profile} p */
function computeProfile(p) {
	let running = 0;

	p.fns = p.columns.sum.map((_, rank) => new Fn(p, rank));
	for (const [rank, kind] of p.pseudo)
		p.fns[rank].pseudo = p.fns[rank].kind = kind;
	p.cut = p.fns.length < p.summary.functions;
	p.total = p.fns.reduce((n, f) => n + f.sum, 0);
	if (p.cut)
		p.total = Math.max(p.total, Number(p.summary.total_count));
	for (const f of p.fns) {
		running += f.sum;
		f.share = p.total === 0 ? 0 : f.sum / p.total;
		f.running = p.total === 0 ? 0 : running / p.total;
	}
}

/**
 * The function of a name, the one with the largest share if there are several.
 * @param {Profile} p
 * @param {string} name as it is stored
 */
function functionNamed(p, name) {
	if (p.names === undefined) {
		p.names = new Map();
		for (const f of p.fns)
			if (!p.names.has(f.stored))
				p.names.set(f.stored, f);
	}
	return p.names.get(name);
}

/* Functions whose names tell whether those of a profile have files. */
const fileSample = 2000;

/**
 * Whether some, and most, of the first functions name a file.
 * @param {{file: string}[]} functions
 */
function haveFiles(functions) {
	const first = functions.slice(0, fileSample);

	return { some: first.some((f) => f.file !== ""),
		most: first.filter((f) => f.file !== "").length * 2 >
		    first.length };
}

/**
 * What a search looks at: all names of a function, in lower case.
 * @param {{folded: string, label: string, stored: string}} f
 */
function searchText(f) {
	if (f.folded === "")
		f.folded = (f.label === f.stored ? f.stored :
		    f.label + "\n" + f.stored).toLowerCase();
	return f.folded;
}

/**
 * @param {Profile} profile
 * @param {string} key
 */
function functionOfKey(profile, key) {
	return profile.fns.find((f) => f.key === key);
}
