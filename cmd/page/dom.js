/*
 * Elements.  Strings become text nodes and attributes, never markup; there is no
 * innerHTML anywhere in this page.
 */

/**
 * @typedef {Record<string, any>} Attributes names with "on" in front: handlers;
 *     with "--" in front: variables of its style
 */

/**
 * @param {Element} to
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function fill(to, attributes, children) {
	for (const [key, value] of Object.entries(attributes)) {
		if (value === undefined || value === false)
			continue;
		if (key.startsWith("on"))
			to.addEventListener(key.slice(2), value);
		else if (key.startsWith("--"))
			/** @type {HTMLElement} */ (to).style
			    .setProperty(key, String(value));
		else
			to.setAttribute(key, value === true ? "" :
			    String(value));
	}
	to.append(...children);
}

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);

	fill(made, attributes, children);
	return made;
}

/**
 * A long name for an element of class "middle", which cuts it there if it does
 * not fit: names that begin alike often differ at the end.
 * @param {string} name
 */
function halves(name) {
	const end = name.length < 48 ? "" :
	    Array.from(name.slice(-24)).slice(1).join("");
	const parts = [name.slice(0, name.length - end.length), end];

	return parts.filter((part) => part !== "").map((part) =>
	    element("span", {}, part));
}

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
function svg(tag, attributes = {}, ...children) {
	const made = document.createElementNS("http://www.w3.org/2000/svg",
	    tag);

	fill(made, attributes, children);
	return made;
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
	const found = document.getElementById(id);

	if (found === null)
		throw new Error("no element " + id);
	return found;
}

/**
 * A panel with a heading.
 * @param {string} id
 * @param {string} heading
 * @param {...(Node | string)} children
 */
function panel(id, heading, ...children) {
	return element("section", { class: "panel", id,
		"aria-labelledby": id + "-heading" },
	    element("div", { class: "row" },
		element("h2", { id: id + "-heading" }, heading)),
	    ...children);
}

/**
 * Buttons of which one is pressed: that of the value in the view.
 * @param {string} label
 * @param {[string, string][]} choices value and text
 * @param {() => string} chosen
 * @param {(value: string) => void} choose
 */
function choice(label, choices, chosen, choose) {
	const group = element("div", { class: "row", role: "group",
		"aria-label": label });

	for (const [value, text] of choices)
		group.append(element("button", { type: "button",
			"data-value": value,
			onclick: () => choose(value) }, text));
	const draw = () => {
		const value = chosen();

		for (const b of group.children)
			b.setAttribute("aria-pressed", String(
			    b.getAttribute("data-value") === value));
	};

	view.listeners.push(draw);
	draw();
	return group;
}

/**
 * A figure with its name, and a note below.
 * @param {string} name
 * @param {string} value
 * @param {string} [note]
 */
function figure(name, value, note = "") {
	return element("div", {}, element("dt", {}, name),
	    element("dd", {}, value, ...(note === "" ? [] :
		[element("small", {}, note)])));
}

/**
 * A name, and a bar of classes, each as wide as its part.
 * @param {string} name
 * @param {{kind: string, size: number}[]} parts
 * @param {(size: number) => string} text of a size, or ""
 * @param {((kind: string) => void) | undefined} choose
 */
function classTrack(name, parts, text, choose) {
	const track = element("div", { class: "track" });
	const total = parts.reduce((n, p) => n + p.size, 0) || 1;

	for (const { kind, size } of parts) {
		const part = size / total, more = text(size);
		const said = `${kind} ${percent(part)}` +
		    (more === "" ? "" : ": " + more);

		if (size !== 0)
			track.append(element(choose === undefined ? "span" :
				"button", { class: kind, title: said,
				"aria-label": `${name}: ${said}`,
				role: choose === undefined ? "img" : undefined,
				"--part": part, onclick: () =>
				    choose === undefined ? undefined :
				    choose(kind) },
			    part < 0.12 ? "" : said));
	}
	return [element("span", { class: "hint" }, name), track];
}

/* A sheet of A4 or Letter has this width, in pixels, between its margins. */
const paperWidth = 700;

/**
 * Calls draw with the width of the element, now and when the width changes, and
 * with that of paper while the page is printed: no observer is called then.
 * @param {HTMLElement} where
 * @param {(width: number) => void} draw
 */
function onWidth(where, draw) {
	let last = 0;

	addEventListener("beforeprint", () => draw(paperWidth));
	addEventListener("afterprint", () => {
		if (last !== 0)
			draw(last);
	});

	new ResizeObserver(() => {
		const width = Math.floor(where.clientWidth);

		if (width === last || width === 0)
			return;
		last = width;
		requestAnimationFrame(() => draw(width));
	}).observe(where);
}
