/* The sections of the page. */

/** @type {[Kind, string][]} */
const kindTitles = [["lines", "lines"], ["functions", "functions"],
    ["instances", "instances"], ["regions", "regions"],
    ["branches", "branches"], ["conditions", "MC/DC"]];

/** @param {Coverage} coverage */
function summaryPanel(coverage) {
	const { index, files } = coverage;
	const list = element("dl", { class: "figures" });
	const put = (/** @type {string} */ title, /** @type {Part} */ part) =>
	    part.size !== 0 && list.append(figure(title, coveredText(part),
		`${digits(part.covered)} of ${digits(part.size)}`));
	const made = panel("summary", "Coverage", list);
	const lost = files.filter((f) => !f.source).length;

	if (index.patch)
		put("lines of the patch", [...coverage.changed.values()].reduce(
		    (a, b) => ({ size: a.size + b.size, covered: a.covered +
			b.covered }), { size: 0, covered: 0 }));
	for (const [kind, title] of kindTitles)
		put(title, partOf(coverage.sum, kind));
	if (index.source_less)
		made.append(element("p", { class: "note" },
		    "The page has no sources."));
	else if (lost !== 0)
		made.append(element("p", { class: "note" }, counted(lost,
		    "source") + (lost === 1 ? " was" : " were") +
		    " not found: there are counts only."));
	return made;
}

async function start() {
	const app = byId("app");
	const coverage = await readCoverage();
	const source = sourcePanel(coverage);

	byId("plain").hidden = true;
	app.hidden = false;
	app.append(summaryPanel(coverage), filesPanel(coverage), source.made,
	    functionsPanel(coverage));
	byId("tools").append(navigation(app), themeButton());
	await source.load();
}

begin(start);
