/* A table of any number of rows; those that are seen are made. */

const usualHeight = 26;

/* Browsers cannot place what is further down than some 17 million pixels. */
const tallest = 8000000;

/* Rows on paper, unless the table says more. */
const printedRows = 100;

/**
 * @template T
 * @typedef {object} Column
 * @property {string} id
 * @property {string} title
 * @property {string} width of the grid
 * @property {boolean} [left]
 * @property {boolean} [wide] left out on narrow screens
 * @property {(row: T) => string | Node} cell
 * @property {(row: T) => number} [part] of a bar behind the text, up to 1
 */

/** @template T */
class Table {
	/**
	 * @param {string} label
	 * @param {Column<T>[]} columns
	 * @param {object} calls
	 * @param {(row: T) => void} calls.choose
	 * @param {(column: string) => void} calls.sort
	 * @param {string} calls.empty text of a table without rows
	 * @param {number} [calls.wide] pixels that show wide columns
	 * @param {number} [calls.height] of a row
	 * @param {number} [calls.printed] rows
	 * @param {(row: T) => string} [calls.kind] class of a row
	 */
	constructor(label, columns, calls) {
		this.columns = columns;
		this.calls = calls;
		/** @type {T[]} */
		this.rows = [];
		this.chosen = -1;
		this.printing = false;
		this.height = calls.height || usualHeight;
		this.printed = calls.printed || printedRows;
		this.head = element("div", { class: "head", role: "row" });
		this.space = element("div", { role: "presentation" });
		this.body = element("div", { class: "body", role: "rowgroup",
			tabindex: 0, "aria-label": label + ": rows",
			onscroll: () => this.draw(),
			onkeydown: (/** @type {KeyboardEvent} */ event) =>
			    this.key(event) }, this.space);
		this.root = element("div", { class: "grid", role: "grid",
			"aria-label": label }, this.head, this.body);
		this.makeHead();
		new ResizeObserver(() => {
			this.layOut();
			this.draw();
		}).observe(this.body);
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	makeHead() {
		for (const c of this.columns)
			this.head.append(element("button", { type: "button",
				role: "columnheader", "data-column": c.id,
				class: (c.left ? "left" : "") +
				    (c.wide ? " wide" : ""),
				title: "Sort by " + c.title,
				onclick: () => this.calls.sort(c.id) },
			    c.title));
	}

	layOut() {
		const narrow = this.printing || this.root.clientWidth <
		    (this.calls.wide || 1000);
		const widths = this.columns.filter((c) => !narrow || !c.wide)
		    .map((c) => c.width).join(" ");

		this.root.classList.toggle("narrow", narrow);
		this.head.style.gridTemplateColumns = widths;
		/* The scroll bar takes its part of the rows, not the head. */
		this.head.style.paddingRight = 11 + this.body.offsetWidth -
		    this.body.clientWidth + "px";
		this.widths = widths;
	}

	/**
	 * @param {T[]} rows
	 * @param {string} sorted column, with - in front if descending
	 */
	show(rows, sorted) {
		const column = sorted.replace("-", "");

		this.rows = rows;
		this.root.setAttribute("aria-rowcount", String(rows.length + 1));
		for (const b of this.head.children) {
			const here = b.getAttribute("data-column") === column;

			b.setAttribute("aria-sort", !here ? "none" :
			    sorted[0] === "-" ? "descending" : "ascending");
			b.toggleAttribute("data-sorted", here);
		}
		this.space.style.height = Math.min(tallest, rows.length *
		    this.height) + "px";
		this.body.scrollTop = 0;
		this.draw();
	}

	/* The offset of the first pixel that is seen, in a table of full size. */
	offset() {
		const full = this.rows.length * this.height;

		if (full <= tallest)
			return this.body.scrollTop;
		return this.body.scrollTop / (tallest -
		    this.body.clientHeight) * (full - this.body.clientHeight);
	}

	draw() {
		const offset = this.printing ? 0 : this.offset();
		const first = Math.floor(offset / this.height);
		const last = this.printing ? this.printed : first + 2 +
		    Math.ceil(this.body.clientHeight / this.height);
		const made = [];

		for (let i = first; i < last && i < this.rows.length; i++)
			made.push(this.makeRow(i, this.body.scrollTop +
			    i * this.height - offset));
		if (this.rows.length === 0)
			made.push(element("div", { class: "empty" },
			    this.calls.empty));
		this.body.replaceChildren(this.space, ...made);
	}

	/**
	 * @param {number} i
	 * @param {number} top
	 */
	makeRow(i, top) {
		const row = this.rows[i];
		const kind = this.calls.kind === undefined ? "" :
		    " " + this.calls.kind(row);
		const made = element("div", { class: "item" + kind, role: "row",
			id: this.root.id + "-row-" + i, "aria-rowindex": i + 2,
			"aria-selected": String(i === this.chosen),
			onclick: () => this.choose(i) });

		made.style.top = top + "px";
		made.style.gridTemplateColumns = this.widths || "";
		for (const c of this.columns) {
			const part = c.part === undefined ? undefined :
			    c.part(row);

			made.append(element("span", { role: "gridcell",
				class: (c.left ? "left" : "") + (c.wide ?
				    " wide" : "") + (part === undefined ? "" :
				    " bar"),
				"--part": part === undefined ? undefined :
				    100 * part + "%" }, c.cell(row)));
		}
		return made;
	}

	/** @param {number} i */
	choose(i) {
		if (i < 0 || i >= this.rows.length)
			return;
		this.mark(i);
		this.calls.choose(this.rows[i]);
	}

	/**
	 * Marks a row and scrolls to it.
	 * @param {number} i
	 * @param {number} [around] rows that are to be seen before and behind
	 */
	mark(i, around = 0) {
		const height = this.body.clientHeight;
		const full = this.rows.length * this.height;

		this.chosen = i;
		if (i >= 0) {
			const offset = this.offset();
			const top = Math.max(0, i - around) * this.height;
			const end = Math.min(full, (i + around + 1) *
			    this.height);
			const want = top < offset ? top : end > offset +
			    height ? end - height : offset;

			if (want !== offset)
				this.body.scrollTop = full <= tallest ? want :
				    want * (tallest - height) /
				    (full - height);
		}
		this.draw();
		this.body.setAttribute("aria-activedescendant", i < 0 ? "" :
		    this.root.id + "-row-" + i);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const page = Math.floor(this.body.clientHeight / this.height) -
		    1;
		/** @type {Record<string, number>} */
		const to = { ArrowDown: this.chosen + 1,
			ArrowUp: this.chosen - 1,
			PageDown: this.chosen + page,
			PageUp: this.chosen - page,
			Home: 0, End: this.rows.length - 1 };

		if (!(event.key in to) || event.ctrlKey || event.altKey)
			return;
		event.preventDefault();
		this.choose(Math.max(0, Math.min(this.rows.length - 1,
		    to[event.key])));
	}

	/** @param {boolean} on */
	print(on) {
		this.printing = on;
		this.space.style.height = this.height * (on ? Math.min(
		    this.printed, this.rows.length) : Math.min(this.rows.length,
		    tallest / this.height)) + "px";
		this.layOut();
		this.draw();
	}
}
