import { fileURLToPath } from 'node:url';
import type * as Library from '@loopwatch/detectors';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { expect, test } from '@playwright/test';
import { build } from 'esbuild';

test('library: gives the same verdicts in a browser as in Node', async ({ page }) => {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL('../packages/detectors/src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'loopwatch',
    platform: 'browser',
    conditions: ['@loopwatch/source'],
  });
  await page.addScriptTag({ content: bundle.outputFiles[0]?.text ?? '' });
  const found = await page.evaluate(() => {
    const { loopwatch } = window as unknown as { loopwatch: typeof Library };
    const analyzer = loopwatch.createSessionAnalyzer({ preset: 'stream' });
    const call = { type: 'tool_call_request', name: 'read_file', args: { path: 'a' } } as const;
    const verdicts = Array.from({ length: 6 }, () => analyzer.push(call)).flat();
    const tracker = loopwatch.createToolCallTracker();
    const blocked = [1, 2, 3].map((time) => tracker.track('search', '{"q":"a"}', time).blocked);
    return { verdicts: verdicts.map(({ id, eventIndex, count }) => ({ id, eventIndex, count })), blocked };
  });
  const analyzer = createSessionAnalyzer({ preset: 'stream' });
  const call = { type: 'tool_call_request', name: 'read_file', args: { path: 'a' } } as const;
  const expected = Array.from({ length: 6 }, () => analyzer.push(call)).flat();
  expect(found.verdicts).toEqual(expected.map(({ id, eventIndex, count }) => ({ id, eventIndex, count })));
  expect(found.verdicts).toHaveLength(1);
  expect(found.blocked).toEqual([false, false, true]);
});
