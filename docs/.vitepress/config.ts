import { slug } from 'github-slugger';
import { defineConfig, type UserConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { linkToRepository } from './links.ts';
import { sidebar } from './pages.ts';

const base = process.env['DOCS_BASE'] ?? '/';
const repository = 'https://github.com/loopwatch/loopwatch';

const title = 'Loopwatch';
const description = 'Catches loops of AI agents while they happen';
/** Absolute, because those who read it do not know the page; the repository has it wherever the site is. */
const card = 'https://raw.githubusercontent.com/loopwatch/loopwatch/main/docs/images/social-card.png';
const social = (property: string, content: string): [string, Record<string, string>] => [
  'meta',
  { property, content },
];

/** Writes `llms.txt`, and each page as Markdown beside it; all pages in one file would be 1 MB. Its types are of a later Vite. */
const markdownPages = llmstxt({
  generateLLMsFullTxt: false,
  ignoreFiles: ['adr/**'],
}) as unknown as NonNullable<NonNullable<UserConfig['vite']>['plugins']>;

/** `npm run docs` serves the pages while they are edited; `npm run docs:build` writes the site. Dead links end the build. */
export default defineConfig({
  title,
  description,
  lang: 'en',
  base,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }],
    social('og:type', 'website'),
    social('og:site_name', title),
    social('og:image', card),
    social('og:image:width', '1200'),
    social('og:image:height', '630'),
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  transformHead: ({ title: pageTitle, description: text }) => [
    social('og:title', pageTitle),
    social('og:description', text),
  ],
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
  vite: { plugins: [markdownPages] },
  themeConfig: {
    logo: '/favicon.svg',
    sidebar,
    nav: [
      { text: 'Get started', link: '/start' },
      { text: 'Detectors', link: '/detectors/balanced' },
      { text: 'Settings', link: '/reference/settings' },
      { text: 'API', link: '/api' },
      { text: 'Changelog', link: `${repository}/blob/main/CHANGELOG.md` },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
  },
});
