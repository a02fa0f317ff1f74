import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

const docs = join(import.meta.dirname, '..');
const root = join(docs, '..');

/**
 * Pages link to files of the repository by relative paths, which work in a clone and on its host. On the site, links
 * that leave `docs` lead to the repository; one to a file that does not exist ends the build.
 */
export function linkToRepository(markdown: MarkdownRenderer, repository: string): void {
  markdown.core.ruler.after('inline', 'links-to-repository', ({ tokens, env }) => {
    const page = (env as { path: string }).path;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (token.type !== 'link_open' || href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const file = join(dirname(page), path);
      const isPage = !relative(docs, file).startsWith('..') && path.endsWith('.md');
      if (isPage) continue;
      if (!existsSync(file))
        throw new Error(`${relative(root, page)} links to ${path}, which does not exist`);
      const view = path.endsWith('/') ? 'tree' : 'blob';
      token.attrSet(
        'href',
        `${repository}/${view}/main/${relative(root, file)}${anchor === undefined ? '' : `#${anchor}`}`,
      );
    }
  });
}
