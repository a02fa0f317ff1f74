/**
 * Bundles a library for no platform, as for an edge runtime, under the global name `loopwatch`.
 *
 * @param entry path of its source
 * @returns the script
 * @throws Error when it imports a module that such a runtime may not have
 */
export async function edgeBundle(entry: string): Promise<string> {
  // Loaded here, because few tests need it.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'neutral',
    format: 'iife',
    globalName: 'loopwatch',
    conditions: ['@loopwatch/source', 'import'],
    mainFields: ['module', 'main'],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  if (imports.length > 0) throw new Error(`The bundle imports ${imports.map(({ path }) => path).join(', ')}`);
  return outputFiles[0]?.text ?? '';
}
