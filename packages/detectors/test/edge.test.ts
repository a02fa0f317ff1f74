import { fileURLToPath } from 'node:url';
import { EdgeVM } from '@edge-runtime/vm';
import { edgeBundle } from '@loopwatch/testkit';
import { beforeAll, expect, it } from 'vitest';

/** The library in a runtime that has the web's globals and nothing of Node, and that compiles no text. */
let vm: EdgeVM;
beforeAll(async () => {
  const script = await edgeBundle(fileURLToPath(new URL('../src/index.ts', import.meta.url)));
  vm = new EdgeVM({ codeGeneration: { strings: false, wasm: false } });
  vm.evaluate(script);
});

const run = (code: string): unknown => JSON.parse(vm.evaluate<string>(`JSON.stringify(${code})`));

it('edge runtime: has no process, no Buffer and no eval', () => {
  expect(run('[typeof process, typeof Buffer]')).toEqual(['undefined', 'undefined']);
  expect(() => vm.evaluate('new Function("return 1")')).toThrow(/Code generation from strings/);
});

it('edge runtime: the analyzer finds a loop, and denies the next call', () => {
  const call = `{ sessionId: 's', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } }`;
  const found = run(`(() => {
    const analyzer = loopwatch.createSessionAnalyzer();
    const verdicts = Array.from({ length: 5 }, () => analyzer.push(${call})).flat();
    return [verdicts.map(({ action }) => action), analyzer.decide({ name: 'read_file', args: { path: 'a' } }).action];
  })()`);
  expect(found).toEqual([['chance', 'block'], 'deny']);
});

it('edge runtime: invalid settings are explained in words', () => {
  expect(() =>
    vm.evaluate('loopwatch.createSessionAnalyzer({ tool_call_loop: { max_repeats: 1 } })'),
  ).toThrow(/must be at least 2/);
});
