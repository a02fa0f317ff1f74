import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';
import { linkToRepository } from './links.ts';
import { sidebar } from './pages.ts';

const repository = 'https://github.com/loopwatch/loopwatch';

/** `npm run docs` serves the pages while they are edited; `npm run docs:build` writes the site. Dead links end the build. */
export default defineConfig({
  title: 'Loopwatch',
  description: 'Catches loops of AI agents while they happen',
  lang: 'en',
  base: process.env['DOCS_BASE'] ?? '/',
  cleanUrls: true,
  lastUpdated: false,
  outDir: '../.cache/site',
  cacheDir: '../.cache/vitepress',
  rewrites: { 'adr/README.md': 'adr/index.md' },
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    config: (markdown) => linkToRepository(markdown, repository),
    languageAlias: { answers: 'json', events: 'jsonl', verdicts: 'jsonl' },
    // As on the repository's host, so that one link works in both.
    anchor: { slugify: slug },
  },
  themeConfig: {
    sidebar,
    nav: [
      { text: 'Get started', link: '/start' },
      { text: 'Detectors', link: '/detectors/balanced' },
      { text: 'Settings', link: '/reference/settings' },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
  },
});
