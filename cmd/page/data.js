/* The data of the page, as the program packed it. */

const newline = 10;

const utf8 = new TextDecoder();

/** @returns {Uint8Array} members of gzip, one after the other */
function packedData() {
	const text = (byId("data").textContent || "").trim();
	const from = /** @type {any} */ (Uint8Array).fromBase64;

	if (from !== undefined)
		return from(text);
	const raw = atob(text), packed = new Uint8Array(raw.length);

	for (let i = 0; i < raw.length; i++)
		packed[i] = raw.charCodeAt(i);
	return packed;
}

/**
 * @param {Uint8Array} packed one member
 * @returns {Promise<Uint8Array>}
 */
async function inflated(packed) {
	const inflate = new /** @type {any} */ (globalThis)
	    .DecompressionStream("gzip");
	const stream = new Blob([/** @type {any} */ (packed)]).stream()
	    .pipeThrough(inflate);

	return new Uint8Array(await new Response(stream).arrayBuffer());
}
