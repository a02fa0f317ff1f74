import { readFileSync } from 'node:fs';

/** A fenced block of shell, as a page prints it. */
export interface ShellBlock {
  /** Heading of its section; the second block of a section has ` (2)` behind it. */
  readonly title: string;
  readonly commands: string;
}

/** The blocks of shell on a page, in its order. @param path from the repository's root */
export function shellBlocks(path: string): ShellBlock[] {
  const page = readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
  return page.split(/^## /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    return [...section.matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```$/gm)].map(
      ([, commands = ''], i) => ({
        title: i === 0 ? heading : `${heading} (${String(i + 1)})`,
        commands,
      }),
    );
  });
}
