import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

const docs = join(import.meta.dirname, '..');

/** The title of a page: its first heading. */
function titleOf(page: string): string {
  const path = join(docs, `${page}.md`);
  if (!existsSync(path)) throw new Error(`the sidebar lists ${page}.md, which does not exist`);
  return /^# (.*)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? page;
}

function section(text: string, pages: readonly string[], collapsed = false): DefaultTheme.SidebarItem {
  return { text, collapsed, items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })) };
}

function pagesIn(folder: string, ...first: readonly string[]): string[] {
  const others = readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => `${folder}/${file.replace('.md', '')}`)
    .filter((page) => !first.includes(page));
  return [...first, ...others.toSorted()];
}

/** Those that most people meet come first. */
const detectors = ['balanced', 'tool-repeat', 'tool-cycle', 'stagnation', 'content-repeat', 'semantic'].map(
  (name) => `detectors/${name}`,
);
const libraries = ['detectors', 'formats', 'guard'].map((name) => `generated/@loopwatch/${name}`);

/** All pages, in the order in which a newcomer needs them. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  section('Get started', ['start', 'concepts', 'connect', 'dashboard', 'mcp', 'troubleshooting', 'faq']),
  section('Detect', ['tuning', 'configuration', ...pagesIn('detectors', ...detectors)]),
  section('Stop loops', ['hooks', 'guard', 'gateway']),
  section('Run in production', [
    'deployment',
    'operations',
    'monitoring',
    'access',
    'runbooks',
    'notifications',
    'kafka-security',
    'security',
    'erasure',
    'exactly-once',
    'performance',
    'releases',
  ]),
  section('Reference', [
    'events',
    'api',
    'reference/agents',
    'reference/settings',
    'reference/error-codes',
    'generated/http-api',
    ...libraries,
  ]),
  section('Background', ['comparison', 'loopbench', 'architecture', 'where-the-time-goes'], true),
  section('Decisions', pagesIn('adr'), true),
];

const listed = new Set(sidebar.flatMap(({ items = [] }) => items.map(({ link }) => link)));
const unlisted = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) => file.endsWith('.md') && !/^(?:\.vitepress|generated)\b|^index\.md$|README\.md$/.test(file),
  )
  .filter((file) => !listed.has(`/${file.replace('.md', '')}`));
if (unlisted.length > 0)
  throw new Error(`the sidebar in docs/.vitepress/pages.ts lacks ${unlisted.join(', ')}`);
