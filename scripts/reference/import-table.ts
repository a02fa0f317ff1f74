import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { mayImport } = createRequire(import.meta.url)('../rooms.cjs') as {
  readonly mayImport: Readonly<Record<string, readonly string[]>>;
};

/** `docs/architecture.md` with the column "may import" of its packages as `scripts/rooms.cjs` has them. */
export function architecturePage(): string {
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const filled = new Set<string>();
  const text = page.replace(/^(\| `(\w+)` \|.*\|) [^|]+ \|$/gm, (line, start: string, name: string) => {
    const imports = mayImport[name];
    if (imports === undefined) return line;
    filled.add(name);
    return `${start} ${imports.length === 0 ? '–' : imports.join(', ')} |`;
  });
  const missing = Object.keys(mayImport).filter((name) => !filled.has(name));
  if (missing.length > 0) throw new Error(`docs/architecture.md has no row for ${missing.join(', ')}`);
  return text;
}
