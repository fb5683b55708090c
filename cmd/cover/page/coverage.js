/* The data of the page: what prof-cover wrote, and what is computed of it. */

/**
 * @typedef {object} FileData
 * @property {string} path
 * @property {number} at where its member begins
 * @property {number[]} sum pairs of size and covered, in the order of kinds
 * @property {[[number, Count], string][]} functions line and count, and name
 * @property {[number, number][]} changed lines of the patch
 * @property {boolean} [source] there is one
 *
 * @typedef {object} Index
 * @property {boolean} patch
 * @property {boolean} source_less
 * @property {FileData[]} files
 *
 * @typedef {{file: FileData, line: number, count: Count, name: string}}
 *     FunctionData
 *
 * @typedef {[number, number, number, number, Count, Count, number]} Branch
 *     start, end, taken, not taken, sides that are folded in bits
 *
 * @typedef {object} FileRecord
 * @property {[number, number, Count][]} lines line, lines, count
 * @property {[number, number][]} missed where it begins, where it ends, ...
 * @property {Branch[]} branches
 */

/** What a sum has, with its place; the patch is added here. */
const kinds = { functions: 0, instances: 1, lines: 2, regions: 3, branches: 4,
	conditions: 5, patch: 6 };

/** @typedef {keyof typeof kinds} Kind */

/** @type {[Kind, string][]} */
const kindTitles = [["patch", "patch"], ["lines", "lines"],
    ["functions", "functions"], ["regions", "regions"],
    ["branches", "branches"], ["conditions", "MC/DC"]];

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

/** @param {{sum: number[]}[]} parts */
function sumOf(parts) {
	const sum = Array(2 * Object.keys(kinds).length).fill(0);

	for (const part of parts)
		part.sum.forEach((n, i) => sum[i] += n);
	return sum;
}

/** @param {FileData} file */
function changedLines(file) {
	const lines = new Set();

	for (const [first, last] of file.changed)
		for (let line = first; line <= last; line++)
			lines.add(line);
	return lines;
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
		/** Of members: that of the index is behind those of files. */
		this.ends = [...this.files.slice(1).map((f) => f.at), end];
		/** @type {FunctionData[]} */
		this.functions = this.files.flatMap((file) => file.functions.map(
		    ([[line, count], name]) => ({ file, line, count, name })));
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
		for (const list of [record.lines, record.missed,
		    record.branches]) {
			let line = 0;

			for (const item of list)
				line = item[0] += line;
		}
		return { record, source: bytes.subarray(cut + 1) };
	}

	/** Adds the lines of the patch, and those that ran, to the sums. */
	async readPatch() {
		for (const file of this.files) {
			let size = 0, covered = 0;

			if (file.changed.length !== 0) {
				const changed = changedLines(file);
				const { record } = await this.read(file);

				for (const [from, lines, count] of record.lines)
					for (let i = from; i < from + lines; i++)
						if (changed.has(i)) {
							size++;
							covered += Number(
							    count !== 0);
						}
			}
			file.sum.push(size, covered);
		}
	}
}

/** @returns {Promise<Coverage>} */
async function readCoverage() {
	const packed = packedData(), end = packed.byteLength - 8;
	const at = Number(new DataView(packed.buffer, packed.byteOffset + end,
	    8).getBigUint64(0, true));
	const text = utf8.decode(await inflated(packed.subarray(at, end)));
	const made = new Coverage(packed, at, JSON.parse(text));

	await made.readPatch();
	return made;
}
