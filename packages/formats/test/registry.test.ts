import { readFileSync } from 'node:fs';
import { formatNames } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import type { JsonObject } from '../src/record/json.ts';
import { formats, nearestFormat, recognize } from '../src/registry.ts';

const page = readFileSync(new URL('../../../docs/connect.md', import.meta.url), 'utf8');

it('formats: every name has a format, and every format a row in docs/connect.md', () => {
  const names = formats.map(({ name }) => name);
  expect(names.toSorted()).toEqual([...formatNames].toSorted());
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(names.toSorted());
});

/** Records of a kind that its format does not read, or that a later version of the producer adds. */
const unread: readonly [producer: string, record: JsonObject, nearest: string | undefined][] = [
  [
    'Claude Code',
    { type: 'new', uuid: 'u', parentUuid: null, sessionId: 's', timestamp: 't', cwd: '/w', version: '2' },
    'claude-code',
  ],
  ['Codex', { timestamp: 't', type: 'new', payload: {} }, 'codex'],
  ['Copilot CLI', { type: 'new', data: {}, id: 'e', timestamp: 't', parentId: null }, 'copilot-cli'],
  [
    'pi, OpenClaw',
    { type: 'new', id: 's', parentId: 'p', timestamp: 't', provider: 'x', modelId: 'y' },
    'pi',
  ],
  ['Droid', { type: 'new', id: 's', timestamp: 't', todos: {}, messageIndex: 1 }, 'pi'],
  ['Antigravity CLI', { step_index: 1, source: 'MODEL', type: 'PLANNER' }, 'antigravity'],
  ['Kimi Code', { type: 'context.new', agentId: 'main', time: 1_790_000_000_000 }, 'kimi-code'],
  ['ADK', { id: 'e', invocation_id: 'i', author: 'agent', timestamp: 1 }, 'adk'],
  [
    'Pydantic AI',
    { kind: 'new', parts: [{ part_kind: 'new' }], model_name: 'm', timestamp: 't' },
    'pydantic-ai',
  ],
  [
    'Qwen Code',
    { uuid: 'u', parentUuid: null, sessionId: 's', usageMetadata: {}, systemPayload: {} },
    'qwen-code',
  ],
  ['OpenHands', { id: 1, timestamp: 't', source: 'agent', message: 'm' }, 'openhands'],
  [
    'OpenAI Agents SDK',
    { object: 'trace.new', id: 's', trace_id: 't', started_at: 'x', span_data: {} },
    'openai-agents',
  ],
  ['a state of LangGraph', { values: {}, next: [], config: {}, metadata: {}, created_at: 't' }, undefined],
  ['Continue', { sessionId: 's', title: 't', workspaceDirectory: '/w', history: [] }, undefined],
  ['Amp', { v: 40, id: 'T-1', created: 1, title: 't', messages: [] }, undefined],
  ['Codex of 2025', { id: 'c', timestamp: 't', instructions: null, git: {} }, 'codex'],
  ['a trajectory of SWE-agent', { trajectory: [], info: {}, history: [] }, 'swe-agent'],
];

it.each(unread)('formats: the nearest to an unread record of %s is its own', (_, record, nearest) => {
  expect((recognize(record) ?? nearestFormat(record))?.name).toBe(nearest);
});
