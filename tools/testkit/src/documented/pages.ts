import { existsSync, readdirSync } from 'node:fs';
import { root } from './fenced-blocks.ts';

const outsideDocs = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['examples/README.md', 'golden/README.md', 'samples/README.md'],
  'deploy/helm/loopwatch/README.md',
  'clients/claude-code/README.md',
  'clients/python/README.md',
];

/** The pages of the documentation, from the repository's root; not those that are generated, nor decisions, which are history. */
export function documentedPages(): string[] {
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^(?:adr|generated|reference|\.vitepress)\//.test(file))
    .map((file) => `docs/${file}`);
  const packages = readdirSync(`${root}packages`).map((name) => `packages/${name}/README.md`);
  return [...outsideDocs, ...docs, ...packages].filter((page) => existsSync(`${root}${page}`));
}
