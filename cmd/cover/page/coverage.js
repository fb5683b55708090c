/* The data of the page: what prof-cover wrote, and what is computed of it. */

/**
 * @typedef {[number, number, Count]} FunctionPlace line, column, count
 *
 * @typedef {object} FileData
 * @property {string} path
 * @property {number} at where its member begins
 * @property {number[]} sum pairs of size and covered, in the order of kinds
 * @property {[FunctionPlace, string][]} functions all instances
 * @property {[number, number][]} changed lines of the patch
 * @property {boolean} [source] there is one
 *
 * @typedef {object} Index
 * @property {boolean} patch
 * @property {boolean} source_less
 * @property {FileData[]} files
 *
 * @typedef {object} FunctionRow instances at one place
 * @property {FileData} file
 * @property {number} line
 * @property {Count} count
 * @property {string} name
 * @property {FunctionRow[]} instances if there are several
 *
 * @typedef {[number[], [number, number, number][], string[]]} Decision its
 *     start and end; places of conditions, with 1 if covered, 2 if folded; ways
 *
 * @typedef {[number, number, number, number, number, Count, Count, number]} Row
 *     a branch: start, 0, end, taken, not taken, sides that are folded; or a
 *     part of a macro that a use has not run: use, file from 1, part
 *
 * @typedef {object} FileRecord
 * @property {Decision[]} decisions of all instances
 * @property {[number, number, Count][]} lines line, lines, count
 * @property {[number, number][]} missed where it begins, where it ends, ...
 * @property {Row[]} rows
 */

/** What a sum has, with its place. */
const kinds = { functions: 0, instances: 1, lines: 2, regions: 3, branches: 4,
	conditions: 5 };

/** @typedef {keyof typeof kinds} Kind */

/**
 * @param {number[]} sum
 * @param {Kind} kind
 */
function partOf(sum, kind) {
	return { size: sum[2 * kinds[kind]],
		covered: sum[2 * kinds[kind] + 1] };
}

/** @typedef {{size: number, covered: number}} Part */

/**
 * Rounded down, so that 100% is all.
 * @param {Part} part
 */
function coveredText({ size, covered }) {
	return size === 0 ? "–" : (Math.floor(1000 * covered / size) / 10)
	    .toFixed(1) + "%";
}

/**
 * For sorting: what has no parts is behind all others.
 * @param {Part} part
 */
function coveredShare({ size, covered }) {
	return size === 0 ? 2 : covered / size;
}

/** @param {{sum: number[]}[]} parts */
function sumOf(parts) {
	const sum = Array(2 * Object.keys(kinds).length).fill(0);

	for (const part of parts)
		part.sum.forEach((n, i) => sum[i] += n);
	return sum;
}

class Coverage {
	/**
	 * @param {Uint8Array} packed
	 * @param {number} end of the members of files
	 * @param {Index} index
	 */
	constructor(packed, end, index) {
		this.packed = packed;
		this.index = index;
		this.files = index.files;
		this.sum = sumOf(this.files);
		/** Of members: that of the index is behind those of files. */
		this.ends = [...this.files.slice(1).map((f) => f.at), end];
		/** @type {FunctionRow[]} */
		this.functions = this.files.flatMap(functionsOf);
		/** @type {Map<FileData, Part>} of the patch */
		this.changed = new Map();
	}

	/**
	 * @param {FileData} file
	 * @returns {Promise<{record: FileRecord, source: Uint8Array}>}
	 */
	async read(file) {
		const bytes = await inflated(this.packed.subarray(file.at,
		    this.ends[this.files.indexOf(file)]));
		const cut = bytes.indexOf(newline);
		/** @type {FileRecord} */
		const record = JSON.parse(utf8.decode(bytes.subarray(0, cut)));

		/* Their lines are differences to those before. */
		for (const list of [record.lines, record.missed, record.rows]) {
			let line = 0;

			for (const item of list)
				line = item[0] += line;
		}
		return { record, source: bytes.subarray(cut + 1) };
	}

	/** Counts the lines of the patch that ran. */
	async readPatch() {
		for (const file of this.files) {
			if (file.changed.length === 0)
				continue;
			const part = { size: 0, covered: 0 };
			const { record } = await this.read(file);

			for (const [line, size, count] of record.lines) {
				const lines = file.changed.reduce((n, [a, b]) =>
				    n + Math.max(0, Math.min(b, line + size -
					1) - Math.max(a, line) + 1), 0);

				part.size += lines;
				part.covered += count === 0 ? 0 : lines;
			}
			this.changed.set(file, part);
		}
	}

	/** @param {string} path */
	fileOf(path) {
		return this.files.find((f) => f.path === path);
	}
}

/**
 * Counts may be decimal strings, of which the sum is one again.
 * @param {Count} a
 * @param {Count} b
 * @returns {Count}
 */
function addCounts(a, b) {
	const sum = BigInt(a) + BigInt(b);

	return sum <= Number.MAX_SAFE_INTEGER ? Number(sum) : String(sum);
}

/**
 * The functions of a file; instances of one are behind it.
 * @param {FileData} file
 */
function functionsOf(file) {
	/** @type {Map<string, FunctionRow>} */
	const found = new Map();

	for (const [[line, column, count], name] of file.functions) {
		const key = line + ":" + column, old = found.get(key);
		/** @type {FunctionRow} */
		const row = { file, line, count, name, instances: [] };

		if (old === undefined) {
			found.set(key, row);
			continue;
		}
		if (old.instances.length === 0)
			old.instances.push({ ...old, instances: [] });
		old.instances.push(row);
		old.count = addCounts(old.count, count);
	}
	return [...found.values()];
}

/** @returns {Promise<Coverage>} */
async function readCoverage() {
	const packed = packedData(), end = packed.byteLength - 8;
	const at = Number(new DataView(packed.buffer, packed.byteOffset + end,
	    8).getBigUint64(0, true));
	const text = utf8.decode(await inflated(packed.subarray(at, end)));
	const made = new Coverage(packed, at, JSON.parse(text));

	if (made.index.patch)
		await made.readPatch();
	return made;
}
