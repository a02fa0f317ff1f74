import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { detectionOf } from '../../src/plan/detection.ts';
import { maskPatterns } from '../../src/privacy/mask-patterns.ts';
import { SessionAnalyzer } from '../../src/session/session-analyzer.ts';
import { accountOf } from '../../src/session/session-report.ts';
import { addPrompt, sessionTitle, withPrompt } from '../../src/session/session-title.ts';

const open = { mask: maskPatterns([]), storeText: true };

function titleFrom(...prompts: readonly string[]): string | undefined {
  return sessionTitle(prompts.reduce((known, prompt) => withPrompt(known, prompt, open), ''));
}

describe('the title of a session', () => {
  it.each<[string, string, string | undefined]>([
    [
      'is the prompt on one line',
      'Fix the login.\n\n  It fails\tsince Monday',
      'Fix the login. It fails since Monday',
    ],
    [
      'is cut at a word',
      'Please look at the checkout service, find out why payments of customers in Norway fail, and mend it',
      'Please look at the checkout service, find out why payments of customers in…',
    ],
    ['is cut within a text without spaces', '請'.repeat(100), `${'請'.repeat(79)}…`],
    ['has no half of a character', `${'x'.repeat(78)}😀😀`, `${'x'.repeat(78)}…`],
    ['keeps text from right to left', '\u200fأصلح صفحة الدخول\u200f', 'أصلح صفحة الدخول'],
    ['has no control that reverses text', 'ok \u202egpj.exe', 'ok gpj.exe'],
    ['leaves out what an agent inserts', '<system-reminder>a\nb</system-reminder>Rename it', 'Rename it'],
    [
      'leaves out inserted texts that are longer than what is read',
      `<context a="b">${'x'.repeat(9_000)}</context>\n<files>${'y'.repeat(9_000)}</files> Fix the bug`,
      'Fix the bug',
    ],
    ['leaves out an inserted text without an end', `<system-reminder>${'x'.repeat(9_000)}Rename`, undefined],
    [
      'is the beginning of a long prompt within a tag',
      `<task>Rename it${' and more'.repeat(2_000)}</task> thanks`,
      'Rename it and more and more and more and more and more and more and more and…',
    ],
    ['is the content of a tag around a prompt', '<task>\nBuild a page\n</task>', 'Build a page'],
    [
      'is a command with its arguments',
      '<command-message>review is running</command-message>\n<command-name>/review</command-name>\n<command-args>PR 12</command-args>',
      '/review PR 12',
    ],
    [
      'leaves out attachments',
      `[Image #1] what is this? data:image/png;base64,${'A'.repeat(99)}`,
      'what is this?',
    ],
    ['is absent for an attachment alone', '[Image #1]', undefined],
    ['is absent for an empty prompt', ' \n ', undefined],
    ['is absent for punctuation', '...', undefined],
    [
      'masks secrets',
      'use key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD please',
      'use key ‹masked› please',
    ],
  ])('%s', (_, prompt, title) => {
    expect(titleFrom(prompt)).toBe(title);
  });

  it('is the first prompt that has text', () => {
    expect(titleFrom('[Image #1]', 'Describe it', 'Now in French')).toBe('Describe it');
  });

  it('is that of a prompt of 1 MB, and keeps no more than its beginning', () => {
    const text = `Summarize this log. ${'line of a log '.repeat(80_000)}`;
    expect(titleFrom(text)).toMatch(/^Summarize this log\. line .{30,60}…$/);
    expect(withPrompt('', text, open).length).toBeLessThanOrEqual(300);
  });

  it('comes with at most 1,000 characters of all prompts', () => {
    const all = Array.from({ length: 50 }, (_, i) => `prompt ${String(i)} ${'x'.repeat(90)}`);
    const text = all.reduce((known, prompt) => withPrompt(known, prompt, open), '');
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.split('\n')[1]).toMatch(/^prompt 1 /);
  });

  it('is quick to read from any text', () => {
    const started = performance.now();
    for (const text of ['<a><b>', '<a></a>', ' ', '<a>\n']) withPrompt('', text.repeat(200_000), open);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('a session', () => {
  const time = Date.UTC(2026, 10, 20);
  const prompt = (text: string, more: object = {}): AgentEvent => ({
    type: 'prompt_started',
    text,
    time,
    ...more,
  });
  const shown = (config: DetectionInput = {}) => detectionOf(detectionSchema.parse(config), null, addPrompt);
  const promptTextOf = (events: readonly AgentEvent[], config = {}): string | undefined => {
    const analyzer = new SessionAnalyzer('s', shown(config));
    for (const event of events) analyzer.push(event);
    return accountOf(analyzer.state).promptText;
  };

  it.each<[string, readonly AgentEvent[], object, string | undefined]>([
    ['remembers its prompts', [prompt('one'), prompt('two', { time: time + 60_000 })], {}, 'one\ntwo'],
    ['ignores prompts of a harness', [prompt('go on', { origin: 'harness' }), prompt('two')], {}, 'two'],
    [
      'ignores a reminder that a known agent writes, also as its first event',
      [prompt('This session is being continued from a previous conversation that ran out of context.')],
      {},
      undefined,
    ],
    ['has none if it starts midway', [{ type: 'content', text: 'so', time }], {}, undefined],
    ['stores none without store_text', [prompt('one')], { privacy: { store_text: false } }, undefined],
    ['masks its own patterns', [prompt('ask ACME-42')], { privacy: { mask: ['ACME-\\d+'] } }, 'ask ‹masked›'],
    [
      'remembers them with detection switched off',
      [{ type: 'control', set: { enabled: false }, time }, prompt('one')],
      {},
      'one',
    ],
    [
      'counts from its start after a long pause',
      [prompt('one'), prompt('two', { time: time + 1e9 })],
      {},
      'two',
    ],
  ])('%s', (_, events, config, text) => {
    expect(promptTextOf(events, config)).toBe(text);
  });

  it('keeps them in its snapshot', () => {
    const analyzer = new SessionAnalyzer('s', shown());
    analyzer.push(prompt('one'));
    const restored = new SessionAnalyzer('s', shown());
    restored.restore(structuredClone(analyzer.snapshot()));
    expect(accountOf(restored.state).promptText).toBe('one');
  });

  it('remembers none where they are not shown', () => {
    const analyzer = new SessionAnalyzer('s', detectionOf(detectionSchema.parse({})));
    analyzer.push(prompt('one'));
    expect(analyzer.snapshot()).not.toHaveProperty('prompts');
  });
});
