import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatCommands, withoutChatCommands } from '../../src/settings/chat-commands.ts';
import { refusalText } from '../../src/settings/refusal-text.ts';
import { analyzer, call } from '../sessions.ts';

const set = (path: string, value: unknown) => [{ set: { [`tool_call_loop.${path}`]: value }, unset: [] }];

describe('a chat command', () => {
  test.each<[string, unknown]>([
    ['!/set(tool-loop-detection=true)', set('enabled', true)],
    ['!/set(tool-loop-detection=false)', set('enabled', false)],
    ['!/set(tool_loop_detection_enabled=true)', set('enabled', true)],
    ['!/set(tool-loop-max-repeats=4)', set('max_repeats', 4)],
    ['!/set(tool_loop_max_repeats="4")', set('max_repeats', 4)],
    ['!/set(tool-loop-ttl=120)', set('ttl_seconds', 120)],
    ['!/set(tool_loop_ttl_seconds=600)', set('ttl_seconds', 600)],
    ['!/set(tool_loop_ttl_seconds=null)', set('ttl_seconds', null)],
    ...['break', 'chance', 'chance_then_break', 'warn', 'block', 'chance_then_block'].flatMap(
      (mode): [string, unknown][] => [
        [`!/set(tool-loop-mode=${mode})`, set('mode', mode)],
        [`!/set(tool_loop_mode="${mode}")`, set('mode', mode)],
        [`!/set( tool_loop_mode = '${mode}' )`, set('mode', mode)],
      ],
    ),
    [
      '  !/set(tool-loop-ttl=9, tool-loop-max-repeats=3) and go on',
      [{ set: { 'tool_call_loop.ttl_seconds': 9, 'tool_call_loop.max_repeats': 3 }, unset: [] }],
    ],
    [
      '!/unset(tool-loop-detection, tool-loop-max-repeats, tool-loop-ttl, tool-loop-mode)',
      [
        {
          set: {},
          unset: ['enabled', 'max_repeats', 'ttl_seconds', 'mode'].map((key) => `tool_call_loop.${key}`),
        },
      ],
    ],
    [
      '!/set(tool-loop-ttl=1) !/unset(tool_loop_ttl)',
      [...set('ttl_seconds', 1), { set: {}, unset: ['tool_call_loop.ttl_seconds'] }],
    ],
    ['!/SET(TOOL-LOOP-TTL=1)', set('ttl_seconds', 1)],
    ['Please\n\t!/set(tool-loop-ttl=1)\r\nand go on', set('ttl_seconds', 1)],
    ['```\n!/set(tool-loop-ttl=1)\n```\n!/set(tool-loop-ttl=2)', set('ttl_seconds', 2)],
    ...[
      '!/set(model=gpt-5) !/set(tool-loop-ttl=1)',
      '!/help()',
      '/set(tool-loop-ttl=1)',
      'please !/set(tool-loop-ttl=1)',
      '> !/set(tool-loop-ttl=1)',
      '`!/set(tool-loop-ttl=1)`',
      'Read this:\n```md\n!/set(tool-loop-ttl=1)\n```\nDone.',
      '~~~~\n!/set(tool-loop-ttl=1)\n~~~\n!/set(tool-loop-ttl=1)',
      '```\n!/set(tool-loop-ttl=1)',
      '!/settle(tool-loop-ttl=1)',
      '!/set the table',
      '!/set model=gpt-5',
      'nothing of the kind',
    ].map((text): [string, unknown] => [text, []]),
  ])('%s', (text, expected) => {
    expect(chatCommands(text)).toEqual(expected);
  });

  test.each([
    [
      '!/set(tool-loop-max-repeats=1)',
      'tool-loop-max-repeats is "1"; allowed: a whole number from 2 to 1000000',
    ],
    [
      '!/set(tool-loop-max-repeats=many)',
      'tool-loop-max-repeats is "many"; allowed: a whole number from 2 to 1000000',
    ],
    ['!/set(tool-loop-ttl=0)', 'tool-loop-ttl is "0"; allowed: a number above 0, or null'],
    ['!/set(tool-loop-detection=maybe)', 'tool-loop-detection is "maybe"; allowed: true or false'],
    ['!/set(tool-loop-detection)', 'tool-loop-detection is ""; allowed: true or false'],
    [
      '!/set(tool_loop_mode="stop")',
      'tool_loop_mode is "stop"; allowed: one of warn, block, chance_then_block, break, chance, chance_then_break',
    ],
    [
      '!/set(tool-loop-max-repeat=4)',
      'tool-loop-max-repeat is no setting; did you mean tool_loop_max_repeats?',
    ],
    ['!/set(tool-loop-maxx=3)', 'tool-loop-maxx is no setting; did you mean tool_loop_max_repeats?'],
    ...[
      '!/set',
      '!/set()',
      '!/SET( )',
      '!/set tool-loop-max-repeats=2',
      '!/set(tool-loop-max-repeats=2',
      '!/set: Tool Loop off',
    ].map((text): [string, string] => [
      text,
      '!/set takes settings in parentheses, for example !/set(tool-loop-max-repeats=4)',
    ]),
    [
      '!/unset tool-loop-mode',
      '!/unset takes settings in parentheses, for example !/unset(tool-loop-max-repeats)',
    ],
    ['!/unset(tool-loop-modes)', 'tool-loop-modes is no setting; did you mean tool_loop_mode?'],
    [
      '!/set(tool-loop-max-repeats=5, tool-loop-ttl=-1)',
      'tool-loop-ttl is "-1"; allowed: a number above 0, or null',
    ],
  ])('%s is rejected', (text, refused) => {
    expect(chatCommands(text).map((command) => 'refused' in command && refusalText(command.refused))).toEqual(
      [refused],
    );
  });

  test.each([
    ['!/set(tool-loop-ttl=1)', ''],
    ['!/set(tool-loop-ttl=1) go on', 'go on'],
    ['Hello\n!/set tool-loop-ttl=1 !/help\nWorld', 'Hello\n\nWorld'],
    ['!/help\nHello', 'Hello'],
    ['!/set(model=gpt-5) Hello', '!/set(model=gpt-5) Hello'],
    ['```\n!/set(tool-loop-ttl=1)\n```', '```\n!/set(tool-loop-ttl=1)\n```'],
  ])('is removed: %j becomes %j', (text, left) => {
    expect(withoutChatCommands(text)).toBe(left);
  });

  test('never causes an error, whatever the text', () => {
    const piece = fc.constantFrom(
      '!/set(',
      '!/unset(',
      'tool-loop-',
      'mode',
      '=',
      '"',
      ')',
      ',',
      ' ',
      '\n',
      '```',
      '!/help',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        expect(chatCommands(withoutChatCommands(pieces.join('')))).toEqual([]);
        for (const command of chatCommands(pieces.join('')))
          expect('refused' in command || Object.keys(command.set).length + command.unset.length > 0).toBe(
            true,
          );
      }),
      { seed: 71, numRuns: 500 },
    );
  });
});

describe('the commands documented in docs/configuration.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/configuration.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith('Settings in chat\n')) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `!/'));

  test.each(rows)('%s', (row) => {
    const [, commands = '', sets = ''] = row.split('|');
    const found = [...commands.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => chatCommands(text));
    expect(found.length).toBeGreaterThan(0);
    for (const command of found) {
      expect(command).not.toHaveProperty('refused');
      const path = /`([^`]+)`/.exec(sets)?.[1];
      if (path !== undefined) expect(command).toMatchObject({ set: { [path]: expect.anything() } });
    }
  });

  test('are complete', () => {
    const paths = ['enabled', 'max_repeats', 'ttl_seconds', 'mode'].map((key) => `tool_call_loop.${key}`);
    for (const path of paths) expect(section).toContain(`\`${path}\``);
    expect(rows.filter((row) => row.startsWith('| `!/unset('))).toHaveLength(1);
  });
});

describe('chat commands in a session:', () => {
  const prompt = (text: string): AgentEvent => ({ type: 'prompt_started', text });
  const calls = (n: number): AgentEvent[] => Array.from({ length: n }, () => call('read', { path: 'a' }));
  const opened = (events: AgentEvent[]) => {
    const session = analyzer({ preset: 'proxy' });
    const verdicts = events.flatMap((event) => [...session.push(event).verdicts]);
    return verdicts.filter(({ phase }) => phase === 'opened').map(({ count, action }) => [count, action]);
  };

  test.each([
    ['break', 'block'],
    ['block', 'block'],
    ['chance', 'chance'],
    ['chance_then_break', 'chance'],
    ['chance_then_block', 'chance'],
    ['warn', 'warn'],
  ])('mode %s results in %s, under both names and with or without quotes', (mode, action) => {
    for (const text of [`!/set(tool-loop-mode=${mode})`, `!/set(tool_loop_mode="${mode}")`])
      expect(opened([prompt(text), ...calls(4)])).toEqual([[4, action]]);
  });

  test.each<{ text: string; then?: string; expected: unknown[] }>([
    { text: '!/set(tool-loop-max-repeats=2)', expected: [[2, 'block']] },
    { text: 'x\n!/set(tool-loop-max-repeats=3)\ny\n!/set(tool-loop-mode=warn)', expected: [[3, 'warn']] },
    { text: '!/set(tool-loop-detection=false)', expected: [] },
    {
      text: '!/set(tool-loop-max-repeats=2)',
      then: '!/unset(tool-loop-max-repeats)',
      expected: [[4, 'block']],
    },
    { text: '!/set(tool-loop-max-repeats=1)', expected: [[4, 'block']] },
    { text: '!/set(tool-loop-max-repeats=1) !/set(tool-loop-mode=warn)', expected: [[4, 'warn']] },
  ])('$text $then results in $expected', ({ text, then, expected }) => {
    expect(opened([prompt(text), ...(then === undefined ? [] : [prompt(then)]), ...calls(5)])).toEqual(
      expected,
    );
  });

  test('only prompts of the user count, and a rejection has a reason', () => {
    const session = analyzer({ preset: 'proxy' });
    expect(session.push({ type: 'content', text: '!/set(tool-loop-mode=stop)' }).refusals).toEqual([]);
    const { refusals } = session.push(prompt('!/set(tool-loop-ttl=x) !/unset(tool-loop-x)'));
    expect(refusalText(...refusals)).toBe(
      'tool-loop-ttl is "x"; allowed: a number above 0, or null; tool-loop-x is no setting; did you mean tool_loop_ttl?',
    );
  });
});
