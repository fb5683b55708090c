/* The sections of the page. */

/** @param {Coverage} coverage */
function summaryPanel(coverage) {
	const { index, files } = coverage;
	const total = sumOf(files);
	const list = element("dl", { class: "figures" });
	const made = panel("summary", "Coverage", list);
	const lost = files.filter((f) => !f.source).length;

	for (const [kind, title] of kindTitles) {
		const part = partOf(total, kind);

		if (part.size !== 0)
			list.append(figure(title, coveredText(part),
			    `${digits(part.covered)} of ` +
			    digits(part.size)));
	}
	if (lost !== 0)
		made.append(element("p", { class: "note" }, index.source_less ?
		    "The page has no sources." :
		    `Sources that were not found: ${digits(lost)}`));
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
