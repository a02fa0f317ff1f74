// Reads and extends CHANGELOG.md, the one changelog of all packages: they have one version.

const titles = { major: 'Breaking changes', minor: 'New', patch: 'Fixes' };
const heading = /^## .*$/m;

/** Adds a release above the others, with its changesets by kind. */
export function withRelease(changelog, version, date, changesets) {
  const parts = Object.entries(titles).flatMap(([kind, title]) => {
    const entries = changesets
      .filter(({ releases }) => releases.some(({ type }) => type === kind))
      .map(({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`);
    return entries.length === 0 ? [] : [`### ${title}\n\n${entries.join('\n')}\n`];
  });
  const text = `## ${version} (${date})\n\n${parts.join('\n')}\n`;
  const at = changelog.search(heading);
  return at === -1
    ? `${changelog.trimEnd()}\n\n${text}`
    : changelog.slice(0, at) + text + changelog.slice(at);
}

/** The section of a version, without its heading. */
export function releaseNotes(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((it) => it.startsWith(`${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return section.slice(section.indexOf('\n')).trim();
}
