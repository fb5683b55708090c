/*
 * What is seen is kept in the fragment of the page's address, so that a link
 * shows it again: words as in a query, without those that are empty.
 */

const view = {
	/** @type {((changed: Set<string>) => void)[]} */
	listeners: [],
	words: new URLSearchParams(location.hash.slice(1)),

	/**
	 * @param {string} word
	 * @param {string} [otherwise]
	 */
	get(word, otherwise = "") {
		const value = this.words.get(word);

		return value === null ? otherwise : value;
	},

	/**
	 * The choices that a word has, which are separated by blanks.
	 * @param {string} word
	 */
	list(word) {
		return this.get(word).split(",").filter((choice) => choice);
	},

	/** @param {Record<string, string>} changes "": forget the word */
	set(changes) {
		const changed = new Set();

		for (const [word, value] of Object.entries(changes)) {
			if (this.get(word) === value)
				continue;
			changed.add(word);
			if (value === "")
				this.words.delete(word);
			else
				this.words.set(word, value);
		}
		if (changed.size === 0)
			return;
		history.replaceState(null, "", "#" + this.words);
		this.tell(changed);
	},

	/** @param {Set<string>} changed */
	tell(changed) {
		for (const listener of this.listeners)
			listener(changed);
	},

	/**
	 * Calls a function when one of the words has changed.
	 * @param {string[]} words
	 * @param {() => void} call
	 */
	on(words, call) {
		this.listeners.push((changed) => {
			if (words.some((word) => changed.has(word)))
				call();
		});
	},
};

/**
 * Sorts by a column; the other way about if the table was sorted by it.
 * @param {string} word of the view
 * @param {string} column
 * @param {string} usual value of the word
 * @param {string[]} texts columns that ascend at first
 */
function sortBy(word, column, usual, texts) {
	const first = texts.includes(column) ? "" : "-";

	view.set({ [word]: view.get(word, usual) !== first + column ?
	    first + column : first === "" ? "-" + column : column });
}

/* A link to a section is no view: the fragment is put back behind the jump. */
addEventListener("hashchange", () => {
	const words = new URLSearchParams(location.hash.slice(1));
	const all = new Set([...view.words.keys(), ...words.keys()]);

	view.words = words;
	view.tell(all);
});
