/** What a printed program assumes, and what the test does with it. */
export interface Program {
  /** Code before the block. */
  readonly before?: string;
  /** Code after it. What it exports is compared with `exported`. */
  readonly after?: string;
  readonly exported?: Readonly<Record<string, unknown>>;
  /** Lines on the console, as patterns. */
  readonly printed?: readonly RegExp[];
}

const call = `{ sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } }`;
const loopAtFourth = [/^read_file .* was called 4 times/, /^read_file .* was called 5 times/];

const library: Program = {
  before: `import { eventSchema } from '@loopwatch/contract';
const events = Array.from({ length: 5 }, () => eventSchema.parse(${call}));`,
  printed: loopAtFourth,
};

/** By page and title of the block. */
export const programs: Readonly<Record<string, Program>> = {
  'README.md: An event in, a verdict out': library,
  'packages/detectors/README.md: @loopwatch/detectors': library,
  'packages/formats/README.md: @loopwatch/formats': {
    before: `const lines = Array.from({ length: 5 }, () => JSON.stringify(${call}));`,
    printed: loopAtFourth,
  },
  'packages/contract/README.md: @loopwatch/contract': {
    before: `import { verdict as anyVerdict } from '../../../../server/test/verdicts.ts';
const record = { value: JSON.stringify(anyVerdict()) };`,
    printed: [/^s-1 read_file was called 5 times/],
  },
  'docs/detectors/semantic.md: The rule': {
    before: `import { eventSchema } from '@loopwatch/contract';
const events = Array.from({ length: 40 }, (_, turn) => [
  eventSchema.parse({ sessionId: 's-1', type: 'turn_started' }),
  eventSchema.parse({ sessionId: 's-1', type: 'content', text: 'Step ' + turn + ' of the plan is to plan. ' }),
  eventSchema.parse({ sessionId: 's-1', type: 'turn_finished' }),
]).flat();
const asked: unknown[] = [];
const ask = (messages: readonly unknown[]): Promise<string> => {
  asked.push(messages);
  return Promise.resolve('{"confidence": 0.95, "analysis": "It only plans."}');
};`,
    after: 'export const hasAsked = asked.length > 0;',
    exported: { hasAsked: true },
  },
  'docs/connect.md: OpenTelemetry': {
    before: `import { MockLanguageModelV3 } from 'ai/test';
const model = new MockLanguageModelV3({
  doGenerate: {
    content: [{ type: 'text', text: 'Done.' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  },
});
const [prompt, tools, sessionId] = ['Begin', {}, 's-1'];`,
    after: 'export const calls = model.doGenerateCalls.length;',
    exported: { calls: 1 },
  },
  'docs/gateway.md: Start': {
    after: `const answer = await client.chat.completions.create({
  model: 'gpt-5-mini',
  messages: [{ role: 'user', content: 'Hello' }],
});
export const text = answer.choices[0]?.message.content;`,
    exported: { text: 'Hi' },
  },
  'docs/gateway.md: Start (2)': {
    after: `const answer = await client.messages.create({
  model: 'claude-opus-5',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hello' }],
});
export const text = answer.content[0];`,
    exported: { text: { type: 'text', text: 'Hi' } },
  },
  'docs/gateway.md: Start (3)': {
    after: `const answer = await client.models.generateContent({ model: 'gemini-3-pro', contents: 'Hello' });
export const text = answer.text;`,
    exported: { text: 'Hi' },
  },
  'docs/gateway.md: What it does about a loop': {
    before: `const model = {
  ask: (_: { sessionId: string }) => Promise.resolve({ calls: [{ name: 'bash' }] }),
};`,
    after: `export const response = await prompt({ sessionId: 's-1' });`,
    exported: {
      response: { stopReason: 'max_turn_requests', _meta: { turn_requests: 20, max_allowed: 20 } },
    },
  },
  'docs/guard.md: Stop loops inside your agent': {
    before: `import { createGuard } from '@loopwatch/guard';
import { waitFor } from '@loopwatch/testkit';`,
    after: `const read = guard.tool('read_file', (_: { path: string }) => 'No such file');
for (let call = 0; call < 9 && !guard.stopped; call += 1) await read({ path: 'a' });
// A guard that closes waits a second for its server, which may be busy.
await waitFor(() => guard.stats().reported > 0);
await guard.close();
export const { stopped } = guard;
export const { faults, dropped } = guard.stats();`,
    exported: { stopped: true, faults: 0, dropped: 0 },
    printed: [/^read_file .* was called 3 times/, /^read_file /],
  },
};
