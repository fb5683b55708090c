/* What pages are used by, and how they begin. */

/**
 * A field for a word of the view.
 * @param {string} word
 * @param {string} label
 * @param {string} hint
 */
function wordField(word, label, hint) {
	let timer = 0;
	const field = /** @type {HTMLInputElement} */ (element("input", {
		type: "search", "aria-label": label, placeholder: hint,
		autocomplete: "off", spellcheck: "false", id: "field-" + word,
		oninput: () => {
			clearTimeout(timer);
			timer = setTimeout(() => view.set({
				[word]: field.value }), 90);
		} }));

	field.value = view.get(word);
	view.on([word], () => {
		if (document.activeElement !== field)
			field.value = view.get(word);
	});
	return field;
}

/**
 * Links to the sections.  They scroll, as the fragment is for the view.
 * @param {HTMLElement} app
 */
function navigation(app) {
	const links = element("nav", { "aria-label": "Sections" });

	for (const section of app.querySelectorAll("section.panel")) {
		links.append(element("a", { href: "#", onclick:
			(/** @type {Event} */ event) => {
				event.preventDefault();
				section.scrollIntoView();
			} }, section.id[0].toUpperCase() +
		    section.id.slice(1)));
	}
	return links;
}

function themeButton() {
	const themes = ["", "light", "dark"];
	const draw = () => {
		const theme = view.get("theme");

		document.documentElement.toggleAttribute("data-theme",
		    theme !== "");
		if (theme !== "")
			document.documentElement.setAttribute("data-theme",
			    theme);
		button.textContent = theme === "" ? "◐ auto" : theme ===
		    "light" ? "○ light" : "● dark";
	};
	const button = element("button", { type: "button", "aria-label":
		"Colours: as the system, light or dark", onclick: () =>
		view.set({ theme: themes[(themes.indexOf(view.get("theme")) +
		    1) % themes.length] }) });

	view.on(["theme"], draw);
	draw();
	return button;
}

/**
 * Shows the page, once its sections are made.
 * @param {() => Promise<void>} start
 */
function begin(start) {
	start().then(() => document.documentElement.setAttribute("data-ready",
	    ""), (error) => {
		byId("plain").prepend(element("p", { class: "note",
			role: "alert" }, "The page cannot be shown: " + error));
		document.documentElement.setAttribute("data-failed", "");
		throw error;
	});
}
