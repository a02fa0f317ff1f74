// The licenses of what the command's package contains and of what is installed with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './published.mjs';

/** Licenses under which the code may be distributed with Loopwatch, as SPDX names. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Unlicense',
]);

/** Whether one alternative of an SPDX expression, with all its parts, is allowed. */
function isAllowed(expression) {
  return expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((name) => allowed.has(name)));
}

/** @returns every package with a license that is not allowed */
export function licenseFaults(packages) {
  return packages
    .filter(({ license }) => license === undefined || !isAllowed(license))
    .map(
      ({ name, version, license }) =>
        `${name} ${version}: license ${license ?? 'unknown'} is not allowed (scripts/pack/notices.mjs)`,
    );
}

/** The text of THIRD-PARTY-NOTICES: each license text once, below the packages that it belongs to. */
export function noticesText(packages) {
  // PGlite contains PostgreSQL, but not its license.
  const postgres = readFileSync(join(import.meta.dirname, 'postgresql-license.txt'), 'utf8').trim();
  const byText = new Map([[postgres, ['PostgreSQL, in @electric-sql/pglite (PostgreSQL)']]]);
  for (const { path, name, version, license } of packages) {
    const text = licenseText(join(root, path));
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}\n`);
  return `Loopwatch contains the software listed here, under the licenses that follow each list.\n\n${parts.join(
    `\n${'-'.repeat(80)}\n\n`,
  )}`;
}

function licenseText(folder) {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (files.length === 0) return 'The package contains no text of its license.';
  return files
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}
