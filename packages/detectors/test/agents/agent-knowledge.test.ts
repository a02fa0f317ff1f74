import type { AgentContractSettings } from '@loopwatch/contract';
import { agentContractSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { agentContracts } from '../../src/agents/index.ts';
import { said, times, turns } from '../steps.ts';

const shipped = agentKnowledge({});

describe('shipped agent contracts', () => {
  it.each(Object.entries(agentContracts))(
    '%s matches the schema for user-written contracts',
    (_, contract) => {
      expect(agentContractSchema.safeParse(contract).error).toBeUndefined();
    },
  );

  it('agree on whether a tool is mutating when two agents use the same name for it', () => {
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
  ])('%s: strip the envelope, so that equal results match', (_, one, other) => {
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
  ])('recognize %j as a call that was not run', (text) => {
    expect(shipped.saysNotRun(text)).toBe(true);
  });

  it.each([
    'Cancelled order 12 for you.',
    'Permission denied',
    'Permission to run this command was denied.',
    'src/texts.ts:12: "Sibling tool call errored"',
    `Cancelled by user ${'x'.repeat(5000)}`,
    '',
  ])('do not take %j for a call that was not run', (text) => {
    expect(shipped.saysNotRun(text)).toBe(false);
  });

  it.each([
    ['Stop hook feedback:\nrun the tests', true],
    ['[ERROR] You did not use a tool in your previous response! Please retry.', true],
    ['Here is a summary of the conversation to date:\n\nThe agent reads a file.', true],
    ['You are in the middle of a conversation that has been summarized.', true],
    ['Give me a summary of the conversation to date.', false],
    ['Please continue.', false],
    ['fix the tests', false],
  ])('%j is a harness prompt: %s', (prompt, isHarness) => {
    expect(shipped.isHarnessPrompt(prompt)).toBe(isHarness);
  });
});

describe('user-declared agent contracts', () => {
  const mine: Record<string, AgentContractSettings> = {
    'Release Bot': {
      names: ['rb'],
      tools: { deploy: { volatile: ['note'] }, LS: { volatile: ['why'] } },
      result_noise: ['build {number} on {word}'],
      not_run: ['Held back by {word}'],
      harness_prompts: ['Call finish{text}'],
    },
    codex: { not_run: ['sandbox says no'] },
  };
  const knowledge = agentKnowledge(mine);

  it('override the shipped ones under any name that events use', () => {
    expect(knowledge.tool('deploy', null)?.volatile).toEqual(['note']);
    expect(knowledge.tool('LS', 'release_bot')?.volatile).toEqual(['why']);
    expect(knowledge.tool('LS', 'claude-code')).toEqual({ mutating: false });
    expect(knowledge.tool('exec_command', 'codex')?.volatile).toContain('prefix_rule');
  });

  it('add their texts to the shipped ones', () => {
    expect(knowledge.withoutNoise('done: build 12 on host-a')).toBe('done: ');
    expect(knowledge.saysNotRun('Held back by policy.')).toBe(true);
    expect(knowledge.saysNotRun('sandbox says no')).toBe(true);
    expect(knowledge.saysNotRun('exec command rejected by user')).toBe(true);
    expect(knowledge.isHarnessPrompt('Call finish now')).toBe(true);
  });

  it.each(['{text} at the beginning', 'abc', 'Held by {who}'])('reject the text %j', (text) => {
    expect(agentContractSchema.safeParse({ not_run: [text] }).success).toBe(false);
  });

  it('match texts regardless of the white space after the first word', () => {
    const spaced = agentKnowledge({ mine: { result_noise: ['Trace  id\n{number}'] } });
    expect(spaced.withoutNoise('ok Trace id 12')).toBe('ok ');
  });

  it('apply to the rules, but `per_tool` overrides them', () => {
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
])('%s beside %s only comments on a call, which still counts as identical', (comment, field) => {
  const steps = ['one', 'two', 'three'].map(
    (text) => ['go', 'Error: not found', { [field]: 'x', [comment]: text }] as const,
  );
  expect(said(turns(...steps))).toEqual(['tool-repeat opened chance 3']);
});

it('calls whose only argument is a description differ when the description does', () => {
  const steps = ['one', 'two', 'three'].map(
    (text) => ['go', 'Error: not found', { title: 'x', description: text }] as const,
  );
  expect(said(turns(...steps))).toEqual([]);
});
