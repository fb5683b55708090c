"use strict";

/* Numbers and names for people. */

/**
 * A count: a number, or a decimal string above 2^53 - 1.
 * @typedef {number | string} Count
 */

/** @param {Count | bigint} count */
function digits(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * @param {number} n
 * @param {string} noun
 */
function counted(n, noun) {
	return digits(n) + " " + noun + (n === 1 ? "" : "s");
}

/**
 * Three digits and the unit that they are of.
 * @param {number} n
 * @param {number} step from a unit to the next one
 * @param {string[]} units
 */
function scaled(n, step, units) {
	let unit = 0;

	while (n >= step - 0.5 && unit < units.length - 1) {
		n /= step;
		unit++;
	}
	return (unit === 0 ? String(Math.round(n)) : n.toPrecision(3)) +
	    units[unit];
}

/** @param {number} n */
function compact(n) {
	return scaled(n, 1000, ["", " k", " M", " G", " T", " P", " E"]);
}

/** @param {number} n */
function bytes(n) {
	return scaled(n, 1024,
	    [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"]);
}

/**
 * A number at an axis: "1 k", where numbers to be compared have "1.00 k".
 * @param {string} text
 */
function withoutZeros(text) {
	return text.replace(/\.0+(?=\D|$)/, "");
}

/** @param {number} part of 1 */
function percent(part) {
	const p = 100 * part;

	return p !== 0 && p < 0.005 ? "<0.01%" : p.toFixed(2) + "%";
}

/**
 * Orders counts; strings are larger than any number that is one.
 * @param {Count} a
 * @param {Count} b
 */
function compareCounts(a, b) {
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	const x = BigInt(a), y = BigInt(b);
	return x < y ? -1 : x > y ? 1 : 0;
}

/** What changes the direction of text, or is not to be seen. */
const unseen =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]/g;

/**
 * A name as it may be shown: characters that could deceive are escaped.
 * @param {string} name
 * @param {number} [most] characters, the rest of a longer one is left out
 */
function visible(name, most) {
	if (most !== undefined && name.length > most)
		name = name.slice(0, most / 2) + " … " +
		    name.slice(-most / 2);
	return name.replace(unseen, (c) =>
	    "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * Bytes of hex digits as text; those that are not ASCII stand as \xff.
 * @param {string} hex
 */
function textOfHex(hex) {
	return hex.replace(/../g, (pair) => {
		const byte = parseInt(pair, 16);

		return byte >= 0x20 && byte < 0x7f ?
		    String.fromCharCode(byte) : "\\x" + pair;
	});
}

/**
 * Whether a text matches a shell pattern of * and ?.  The time is at most that
 * of the product of both lengths, whatever the pattern is.
 * @param {string} pattern
 * @param {string} text
 */
function globMatches(pattern, text) {
	let p = 0, t = 0, star = -1, from = 0;

	while (t < text.length) {
		if (pattern[p] === "*") {
			star = p++;
			from = t;
		} else if (p < pattern.length &&
		    (pattern[p] === "?" || pattern[p] === text[t])) {
			p++;
			t++;
		} else if (star >= 0) {
			p = star + 1;
			t = ++from;
		} else
			return false;
	}
	while (pattern[p] === "*")
		p++;
	return p === pattern.length;
}

/**
 * A test for text in lower case: a pattern if there is a * or ?, else a part.
 * @param {string} wanted
 * @returns {(text: string) => boolean}
 */
function matcher(wanted) {
	const lower = wanted.toLowerCase();

	return /[*?]/.test(lower) ? (text) => globMatches(lower, text) :
	    (text) => text.includes(lower);
}
