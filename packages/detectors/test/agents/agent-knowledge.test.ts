import type { AgentContractSettings } from '@loopwatch/contract';
import { agentContractSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { agentContracts } from '../../src/agents/index.ts';
import { said, times, turns } from '../steps.ts';

const shipped = agentKnowledge({});

describe('the contracts that ship', () => {
  it.each(Object.entries(agentContracts))('%s keeps to the form that users write', (_, contract) => {
    expect(agentContractSchema.safeParse(contract).error).toBeUndefined();
  });

  it('agree on what changes something, where two agents have a tool of one name', () => {
    const mutating = new Map<string, boolean | undefined>();
    for (const { tools = {} } of Object.values(agentContracts)) {
      for (const [name, tool] of Object.entries(tools)) {
        expect({ name, mutating: mutating.get(name) ?? tool.mutating }).toEqual({
          name,
          mutating: tool.mutating,
        });
        mutating.set(name, tool.mutating);
      }
    }
  });

  it.each([
    [
      'Codex',
      'Chunk ID: 3fa9c1\nWall time: 0.1370 seconds\nOutput:\nno',
      'Chunk ID: b7\nWall time: 9 seconds\nOutput:\nno',
    ],
    [
      'Claude Code',
      'No matches\n<system-reminder>3 todos\nopen</system-reminder>',
      'No matches\n<system-reminder>4</system-reminder>',
    ],
    ['Gemini CLI', 'ok\nProcess Group PGID: 412', 'ok\nProcess Group PGID: 977'],
    ['OpenHands', 'x\n[Python interpreter: /a]', 'x\n[Python interpreter: /b]'],
    [
      'Cline',
      'ok<environment_details>10:01</environment_details>',
      'ok<environment_details>10:02</environment_details>',
    ],
  ])('%s: results are the same but for the envelope', (_, one, other) => {
    expect(shipped.withoutNoise(one).trim()).toBe(shipped.withoutNoise(other).trim());
    expect(shipped.withoutNoise(one)).not.toBe(one);
  });

  it.each([
    '<tool_use_error>Sibling tool call errored</tool_use_error>',
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse pnpm",
    '[Request interrupted by user for tool use]',
    '[{"text":"[Operation Cancelled] Reason: User cancelled","type":"text"}]',
    'The user denied this operation.',
    'exec command rejected by user',
    'The user rejected permission to use this specific tool call.',
    'Cancelled',
    'Tool call was not executed: another call failed first.',
    '{"error":"User rejected the action"}',
  ])('%j says that a call was not run', (text) => {
    expect(shipped.saysNotRun(text)).toBe(true);
  });

  it.each([
    'Cancelled order 12 for you.',
    'Permission denied',
    'Permission to run this command was denied.',
    'src/texts.ts:12: "Sibling tool call errored"',
    `Cancelled by user ${'x'.repeat(5000)}`,
    '',
  ])('%j does not', (text) => {
    expect(shipped.saysNotRun(text)).toBe(false);
  });

  it.each([
    ['Stop hook feedback:\nrun the tests', true],
    ['[ERROR] You did not use a tool in your previous response! Please retry.', true],
    ['Please continue.', false],
    ['fix the tests', false],
  ])('%j is a prompt of a harness: %s', (prompt, isHarness) => {
    expect(shipped.isHarnessPrompt(prompt)).toBe(isHarness);
  });
});

describe('what a user declares of an agent', () => {
  const mine: Record<string, AgentContractSettings> = {
    'Release Bot': {
      names: ['rb'],
      tools: { deploy: { volatile: ['note'] }, Read: { volatile: ['why'] } },
      result_noise: ['build {number} on {word}'],
      not_run: ['Held back by {word}'],
      harness_prompts: ['Call finish{text}'],
    },
    codex: { not_run: ['sandbox says no'] },
  };
  const knowledge = agentKnowledge(mine);

  it('comes before what ships, by whatever name events give', () => {
    expect(knowledge.tool('deploy', null)?.volatile).toEqual(['note']);
    expect(knowledge.tool('Read', 'release_bot')?.volatile).toEqual(['why']);
    expect(knowledge.tool('Read', 'claude-code')).toEqual({ mutating: false });
    expect(knowledge.tool('exec_command', 'codex')?.volatile).toContain('justification');
  });

  it('adds its texts', () => {
    expect(knowledge.withoutNoise('done: build 12 on host-a')).toBe('done: ');
    expect(knowledge.saysNotRun('Held back by policy.')).toBe(true);
    expect(knowledge.saysNotRun('sandbox says no')).toBe(true);
    expect(knowledge.saysNotRun('exec command rejected by user')).toBe(true);
    expect(knowledge.isHarnessPrompt('Call finish now')).toBe(true);
  });

  it.each(['{text} at the beginning', 'abc', 'Held by {who}'])(
    '%j is no text that a user may declare',
    (text) => {
      expect(agentContractSchema.safeParse({ not_run: [text] }).success).toBe(false);
    },
  );

  it('is found by its first word, whatever white space follows', () => {
    const spaced = agentKnowledge({ mine: { result_noise: ['Trace  id\n{number}'] } });
    expect(spaced.withoutNoise('ok Trace id 12')).toBe('ok ');
  });

  it('takes part in the rules, and `per_tool` wins over it', () => {
    const events = turns(
      ...times(
        1,
        ...['a', 'b', 'c'].map((note) => ['deploy', 'queue is full, 12 wait', { app: 'x', note }] as const),
      ),
    );
    expect(said(events)).toEqual([]);
    expect(said(events, { agents: mine })).toEqual(['tool-repeat opened chance 3']);
    expect(said(events, { agents: mine, per_tool: { deploy: { volatile: [] } } })).toEqual([]);
  });
});

it.each([
  ['description', 'command'],
  ['summary', 'command'],
  ['explanation', 'cmd'],
  ['task_progress', 'path'],
])('%s beside %s comments on a call, and makes it no other', (comment, field) => {
  const steps = ['one', 'two', 'three'].map(
    (text) => ['go', 'Error: not found', { [field]: 'x', [comment]: text }] as const,
  );
  expect(said(turns(...steps))).toEqual(['tool-repeat opened chance 3']);
});

it('a description that is all there is to a call makes it another', () => {
  const steps = ['one', 'two', 'three'].map(
    (text) => ['go', 'Error: not found', { title: 'x', description: text }] as const,
  );
  expect(said(turns(...steps))).toEqual([]);
});
