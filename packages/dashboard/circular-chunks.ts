import type { Plugin } from 'vite';

/** What each chunk imports statically, by file name. */
type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Fails the build if chunks import each other in a circle. The groups of `codeSplitting` can cause that even if no modules
 * do, and then a page fails when it runs: a module runs before one that it needs.
 */
export function refuseCircularChunks(): Plugin {
  return {
    name: 'loopwatch:circular-chunks',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const circle = circleOf(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
      if (circle !== undefined) this.error(`Chunks import each other in a circle: ${circle.join(' → ')}`);
    },
  };
}

function circleOf(imports: Imports): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const imported of imports.get(file) ?? []) {
      const circle = visit(imported, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
