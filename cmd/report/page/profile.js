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
 * @property {FunctionData[]} functions by share
 * @property {Fn[]} fns the same, with what is computed of them
 * @property {Trace[]} [traces]
 * @property {string[]} [order] that of prof-order
 * @property {Heap} [heap]
 * @property {number} total of the counters of all functions
 * @property {boolean} cut some functions were left out
 * @property {Map<string, Fn>} byName
 */

/** @type {ClassName[]} */
const classNames = ["hot", "warm", "cold"];

/**
 * The inflated data of the page.
 * @returns {Promise<{profiles: Profile[], comparison?: Comparison[]}>}
 */
async function readData() {
	const text = byId("data").textContent || "";
	const raw = atob(text.trim());
	const packed = new Uint8Array(raw.length);

	for (let i = 0; i < raw.length; i++)
		packed[i] = raw.charCodeAt(i);
	const inflate = new /** @type {any} */ (globalThis)
	    .DecompressionStream("gzip");
	const stream = new Blob([packed]).stream().pipeThrough(inflate);
	return JSON.parse(await new Response(stream).text());
}

/**
 * The file part of a local name, as lib/model/local_name.c finds it.
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

/** @param {Count[]} counts */
function sumOf(counts) {
	let sum = 0;

	for (let i = 0; i < counts.length; i++)
		sum += Number(counts[i]);
	return sum;
}

/** A function, with what is computed of it. */
class Fn {
	/**
	 * @param {Profile} p
	 * @param {FunctionData} data
	 * @param {number} rank by share, from 0
	 */
	constructor(p, data, rank) {
		this.data = data;
		this.rank = rank;
		this.pseudo = data.pseudo;
		this.counts = data.counts;
		this.counters = data.counters;
		/* As the profile has it, or the guid. */
		this.stored = storedName(data);
		this.label = data.demangled !== undefined ? data.demangled :
		    data.demangled_hex !== undefined ?
		    textOfHex(data.demangled_hex) : this.stored;
		/* Of a local name, or "". */
		this.file = data.guid === undefined ? filePart(this.stored) :
		    "";
		this.sum = data.pseudo === undefined ? sumOf(data.counts) : 0;
		/** @type {Count} */
		this.max = data.max_count === undefined ? 0 : data.max_count;
		/** @type {ClassName} */
		this.kind = data.pseudo === "hot" || data.pseudo === "warm" ?
		    data.pseudo : classify(p, this.max);
		this.share = 0;
		this.running = 0;	/* share up to this one */
		this.folded = "";	/* what a search looks at, once made */
	}

	/** What links have. */
	get key() {
		return this.stored.length > 200 ? "#" + this.rank :
		    this.stored + "@" + this.data.hash;
	}

	/** The exact sum of the counters; pseudo counts are none. */
	get exactSum() {
		let sum = 0n;

		if (this.pseudo === undefined)
			for (const count of this.counts)
				sum += BigInt(count);
		return sum;
	}

	/** @returns {Count} */
	get entries() {
		return this.pseudo !== undefined || this.counts.length === 0 ?
		    0 : this.counts[0];
	}
}

/** @param {Profile} p */
function computeProfile(p) {
	let running = 0;

	p.byName = new Map();
	p.fns = p.functions.map((data, rank) => new Fn(p, data, rank));
	p.cut = p.fns.length < p.summary.functions;
	p.total = p.fns.reduce((n, f) => n + f.sum, 0);
	if (p.cut)
		p.total = Math.max(p.total, Number(p.summary.total_count));
	for (const f of p.fns) {
		running += f.sum;
		f.share = p.total === 0 ? 0 : f.sum / p.total;
		f.running = p.total === 0 ? 0 : running / p.total;
		if (!p.byName.has(f.stored))
			p.byName.set(f.stored, f);
	}
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
