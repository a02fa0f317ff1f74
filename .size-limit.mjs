import { existsSync, readFileSync } from 'node:fs';

const dist = 'packages/dashboard/dist';
if (!existsSync(`${dist}/index.html`)) throw new Error('The dashboard is not built yet: run `npm run build`');

// What the page loads before anything is drawn: its entry and the chunks that the entry imports statically.
const html = readFileSync(`${dist}/index.html`, 'utf8');
const first = [...html.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map((match) => `${dist}/${match[1]}`);
if (first.length === 0) throw new Error(`${dist}/index.html loads no script`);

export default [{ name: 'dashboard, first bundle', path: first, gzip: true, limit: '260 kB' }];
