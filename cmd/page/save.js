/* What is shown, as a file of the reader's own. */

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
function saveText(name, type, text) {
	const address = URL.createObjectURL(new Blob([text], { type }));
	const link = element("a", { href: address, download: name });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * A field of CSV (RFC 4180).  A text that a spreadsheet would take for a formula
 * gets an apostrophe in front.
 * @param {string | number} value
 */
function csvField(value) {
	let text = String(value);

	if (typeof value === "string" && /^[=+\-@\t\r]/.test(text))
		text = "'" + text;
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` :
	    text;
}

/**
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 */
function csvText(head, rows) {
	return [head, ...rows].map((row) => row.map(csvField).join(","))
	    .join("\r\n") + "\r\n";
}

/**
 * Buttons that save rows as JSON and as CSV.
 * @template T
 * @param {string} name of the files, without suffix
 * @param {() => T[]} rows that are shown
 * @param {(row: T) => object} json
 * @param {string[]} head
 * @param {(row: T) => (string | number)[]} fields
 */
function saveButtons(name, rows, json, head, fields) {
	return [
		element("button", { type: "button", title:
			"Save the rows that are shown as JSON, a line each",
		    onclick: () => saveText(name + ".json",
			"application/x-ndjson", rows().map((row) =>
			JSON.stringify(json(row)) + "\n").join("")) }, "JSON"),
		element("button", { type: "button", title:
			"Save the rows that are shown as CSV",
		    onclick: () => saveText(name + ".csv", "text/csv",
			csvText(head, rows().map(fields))) }, "CSV"),
	];
}
