// `npm run docs:build`: writes the pages that only the site has, before VitePress reads them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpApiPage } from './reference/http-api.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = join(root, 'docs/generated');

// It empties the folder first.
execFileSync('typedoc', ['--options', 'docs/.vitepress/typedoc.json'], { cwd: root, stdio: 'inherit' });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'http-api.md'), httpApiPage(version));
mkdirSync(join(root, 'docs/public'), { recursive: true });
copyFileSync(join(root, 'packages/dashboard/public/favicon.svg'), join(root, 'docs/public/favicon.svg'));

// TypeDoc copies the pages that READMEs link to; the site has them already.
rmSync(join(folder, '_media'), { recursive: true, force: true });
for (const file of readdirSync(join(folder, '@loopwatch'))) {
  const page = join(folder, '@loopwatch', file);
  writeFileSync(page, readFileSync(page, 'utf8').replaceAll('](../_media/', '](../../'));
}
