import type { AgentEvent } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { analyzer, call, run, runReloading, text } from '../../sessions.ts';
import { said } from '../../steps.ts';

const done = 'All files are in place. Is there anything else?';
const thanks = 'Thank you, have a nice day!';
const welcome = 'You are welcome, have a nice day!';

/** A turn that says this; its agent stands before a colon. */
function turn(message: string): AgentEvent[] {
  const [words = '', agent] = message.split(': ').toReversed();
  return [
    { type: 'turn_started', ...(agent !== undefined && { agent }) },
    ...(words === '' ? [] : [text(words)]),
    { type: 'turn_finished' },
  ];
}

function turns(...messages: readonly string[]): AgentEvent[] {
  return messages.flatMap(turn);
}

function repeated(times: number, ...messages: readonly string[]): AgentEvent[] {
  return turns(...Array.from({ length: times }, () => messages).flat());
}

/** Turns that only think. */
function thinking(...thoughts: readonly string[]): AgentEvent[] {
  return thoughts.flatMap((thought) => [
    { type: 'turn_started' },
    { type: 'thought', text: thought },
    { type: 'turn_finished' },
  ]);
}

const questions = ['Shall I proceed?', 'Should I proceed?', 'May I proceed?'];
const services = 'orders carts users prices items taxes mails logs jobs keys'.split(' ');
/** A list with one more box ticked each time. */
const ticked = (open: string, done: string): string[] =>
  services.map((_, n) => services.map((name, i) => `${i <= n ? done : open} ${name}`).join('\n'));

describe('same-message', () => {
  it.each<{ what: string; events: AgentEvent[]; expected: string[] }>([
    {
      what: 'opens at the fourth time',
      events: repeated(4, done),
      expected: ['stagnation/same-message opened chance 4'],
    },
    { what: 'is silent at three times', events: repeated(3, done), expected: [] },
    {
      what: 'looks past the time in front',
      events: turns(...[1, 2, 3, 4].map((n) => `[14:00:0${String(n)}] ${done}`)),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'looks past typography, emphasis, pictures, case and white space',
      events: turns(
        `It's done - "all files" are in place. Anything else?`,
        'It\u2019s **done** \u2014 \u201Call files\u201D are  in place.\r\nAnything else?',
        '\u2705 it\u2019s done - "`all files`" are in\u00A0place. Anything\u200B else?',
        `IT'S DONE - "ALL FILES" ARE IN PLACE. ANYTHING ELSE? `,
      ),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'looks past the marks that end a sentence',
      events: turns('Working', 'Working...', 'Working!', 'Working…'),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'opens at the fourth round of three messages',
      events: repeated(4, done, thanks, 'I look at the next file.'),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'opens if two messages came four times each, in any order',
      events: turns(done, done, thanks, done, thanks, thanks, done, thanks, thanks),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'opens at the eighth message in similar words, once the words are known',
      events: repeated(3, ...questions),
      expected: ['stagnation/same-message opened chance 8'],
    },
    {
      what: 'does so in scripts without spaces',
      events: repeated(3, '请问您要修改哪个文件？', '请告诉我您要修改哪个文件。', '您想让我修改哪个文件？'),
      expected: ['stagnation/same-message opened chance 8'],
    },
    {
      what: 'opens at the fourth turn with only the same thought',
      events: thinking(done, done, done, done),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'is silent if an answer lies between turns with only the same thought',
      events: [...thinking(done, done, done), ...turn(thanks), ...thinking(done, done, done)],
      expected: [],
    },
    {
      what: 'ignores other thoughts in turns between equal messages',
      events: services.slice(0, 4).flatMap((name) => [...turn(done), ...thinking(`Now the ${name}.`)]),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'takes one more if messages differ in random tokens',
      events: turns(
        ...['9f86d081884c', '7d865e959b24', '60303ae22b99', 'fd61a03af4f7', 'a4e624d686e0'].map(
          (id) => `[msg_${id}] ${done}`,
        ),
      ),
      expected: ['stagnation/same-message opened chance 5'],
    },
    {
      what: 'is silent if the words differ, or the token is what is said',
      events: turns(
        ...['9f86d081884c', '7d865e959b24', '60303ae22b99', 'fd61a03af4f7', 'a4e624d686e0'].map(
          (id) => `Booked as ${id}.`,
        ),
      ),
      expected: [],
    },
    {
      what: 'does not look past a time that is said',
      events: turns(...[1, 2, 3, 4, 5].map((n) => `Shall we meet at 1${String(n)} h?`)),
      expected: [],
    },
    {
      what: 'escalates when repeated after a chance',
      events: repeated(5, done),
      expected: ['stagnation/same-message opened chance 4', 'stagnation/same-message escalated block 5'],
    },
    {
      what: 'is resolved by another message',
      events: turns(done, done, done, done, 'On to the next file.'),
      expected: ['stagnation/same-message opened chance 4', 'stagnation/same-message resolved recovered 4'],
    },
    {
      what: 'is resolved by a call',
      events: [...repeated(4, done), call('look')],
      expected: ['stagnation/same-message opened chance 4', 'stagnation/same-message resolved recovered 4'],
    },
    {
      what: 'ends with the prompt',
      events: [...repeated(4, done), { type: 'prompt_started' }],
      expected: ['stagnation/same-message opened chance 4', 'stagnation/same-message resolved ended 4'],
    },
    {
      what: 'opens at the twentieth turn without anything',
      events: repeated(21, ''),
      expected: ['stagnation/same-message opened chance 20', 'stagnation/same-message escalated block 21'],
    },
    {
      what: 'counts white space as nothing',
      events: repeated(20, ' \n'),
      expected: ['stagnation/same-message opened chance 20'],
    },
    {
      what: 'does not count turns that wrote tokens, whose text was left out',
      events: repeated(30, '').map((event) =>
        event.type === 'turn_finished' ? { ...event, usage: { outputTokens: 7 } } : event,
      ),
      expected: [],
    },
    {
      what: 'does not count turns whose end is not reported',
      events: repeated(30, '').filter(({ type }) => type !== 'turn_finished'),
      expected: [],
    },
    {
      what: 'does not count turns that reasoned',
      events: repeated(30, '').flatMap((event, i): AgentEvent[] =>
        event.type === 'turn_started' ? [event, { type: 'thought', text: `Point ${i}.` }] : [event],
      ),
      expected: [],
    },
    {
      what: 'starts over with a turn that brought something',
      events: [...repeated(19, ''), call('look'), ...repeated(19, '')],
      expected: [],
    },
    {
      what: 'ignores empty turns in between',
      events: turns(done, '', done, '', done, ' ', done),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'detects two agents that answer each other',
      events: repeated(4, `a: ${thanks}`, `b: ${welcome}`),
      expected: ['stagnation/same-message opened chance 4'],
    },
    {
      what: 'works if turns are never reported as finished',
      events: [...repeated(5, done).filter(({ type }) => type !== 'turn_finished')],
      expected: ['stagnation/same-message opened chance 4'],
    },
  ])('$what', ({ events, expected }) => expect(said(events)).toEqual(expected));

  it.each<{ what: string; events: AgentEvent[] }>([
    {
      what: 'the same message by four agents, which is a vote',
      events: turns('a: Yes.', 'b: Yes.', 'c: Yes.', 'd: Yes.'),
    },
    {
      what: 'a call in each turn',
      events: Array.from({ length: 6 }, (_, i) => [...turn(done).slice(0, 2), call('go', { i })]).flat(),
    },
    {
      what: 'results in between',
      events: Array.from({ length: 6 }, (): AgentEvent[] => [
        ...turn(done),
        { type: 'tool_result', result: 'x' },
      ]).flat(),
    },
    {
      what: 'a prompt before each',
      events: Array.from({ length: 6 }, (): AgentEvent[] => [
        { type: 'prompt_started' },
        ...turn(done),
      ]).flat(),
    },
    {
      what: 'a label for each item that a harness hands out',
      events: services.flatMap((name): AgentEvent[] => [
        { type: 'prompt_started', origin: 'harness', text: `Is ${name} a place? Answer yes or no.` },
        ...turn('No, not at all.'),
      ]),
    },
    { what: 'messages without turns', events: Array.from({ length: 6 }, () => text(done)) },
    {
      what: 'messages with a counter',
      events: turns(...[1, 2, 3, 4, 5, 6].map((n) => `Step ${String(n)} of 6.`)),
    },
    {
      what: 'similar messages that bring a new word each time',
      events: turns(...services.map((name) => `I am now going to test the ${name} service.`)),
    },
    { what: 'a list in which one more box is ticked', events: turns(...ticked('[ ]', '[x]')) },
    { what: 'one that ticks with pictures', events: turns(...ticked('\u2B1C', '\u2705')) },
    {
      what: 'a bar that grows',
      events: turns(...services.map((_, n) => `[${'#'.repeat(n)}] building the image`)),
    },
    {
      what: 'short messages that end in another way',
      events: turns(...[1, 3, 2, 4, 5, 2, 1, 5, 3, 4].map((n) => `You rolled ${services[n] ?? ''}.`)),
    },
    {
      what: 'labels in any order',
      events: turns(...'aababbabaabb'.split('').map((name) => `Class ${name}`)),
    },
    { what: 'other thoughts', events: thinking(...services.map((name) => `Next comes ${name}.`)) },
    {
      what: 'a repeated question with different answers',
      events: turns(...[1, 2, 3, 4, 5].flatMap((n) => ['a: Go on.', `b: Part ${String(n)}.`])),
    },
  ])('is silent on $what', ({ events }) => expect(said(events)).toEqual([]));

  test('compares messages of up to 2,048 units', () => {
    const long = (units: number): string[] =>
      said(repeated(4, 'lorem '.repeat(units).slice(0, units - 1) + '.'), {
        content_loop: { enabled: false },
      });
    expect(long(2048)).toEqual(['stagnation/same-message opened chance 4']);
    expect(long(2049)).toEqual([]);
  });

  test('follows its settings', () => {
    expect(
      said(repeated(9, done), { stagnation: { enabled: false }, content_loop: { enabled: false } }),
    ).toEqual([]);
    expect(said(repeated(4, done), { stagnation: { mode: 'warn' } })).toEqual([
      'stagnation/same-message opened warn 4',
    ]);
    expect(said(repeated(7, done), { stagnation: { same_error: 8 } })).toEqual([
      'stagnation/same-message opened chance 7',
    ]);
  });

  test('shows the message, and the cost since the first time', () => {
    const [verdict] = run(repeated(4, done), { preset: 'balanced' });
    expect(verdict).toMatchObject({
      tool: null,
      period: 1,
      evidence: { rule: 'same-message', repeated: done },
      cost: { turns: 4, calls: 0, characters: 4 * done.length },
    });
    expect(verdict?.reason).toBe('The agent sent the same message 4 times in a row without calling a tool');
    const [hidden] = run(repeated(4, done), { preset: 'balanced', privacy: { store_text: false } });
    expect(JSON.stringify(hidden)).not.toContain('in place');
  });

  test('counts a retried turn once', () => {
    const again: AgentEvent[] = [{ type: 'retry' }, ...turn(done)];
    expect(said([...repeated(3, done), ...again, ...again])).toEqual([]);
    expect(said([...repeated(3, done), ...again, ...turn(done)])).toEqual([
      'stagnation/same-message opened chance 4',
    ]);
  });
});

const messages = fc.array(fc.constantFrom(done, thanks, `a: ${thanks}`, `b: ${welcome}`, ''), {
  maxLength: 24,
});

function pieces(words: string, size: number): AgentEvent[] {
  return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    text(words.slice(i * size, (i + 1) * size)),
  );
}

test('same-message: the verdicts do not depend on how the text is split', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 20 }), (sequence, size) => {
      const cut = turns(...sequence).flatMap((event) =>
        event.type === 'content' ? pieces(String(event['text']), size) : [event],
      );
      expect(said(cut)).toEqual(said(turns(...sequence)));
    }),
  );
});

test('same-message: counts anew after a snapshot of an earlier version', () => {
  const session = analyzer({ preset: 'balanced' });
  for (const event of repeated(3, done)) session.push(event);
  const isStored = (value: unknown) => typeof value === 'object' && value !== null && 'thought' in value;
  const snapshot = JSON.stringify(session.snapshot(), (key, value: unknown) =>
    key === 'before' && isStored(value) ? undefined : value,
  );
  expect(snapshot).not.toContain('all files');
  const earlier = JSON.parse(snapshot) as ReturnType<typeof session.snapshot>;
  const restored = analyzer({ preset: 'balanced' });
  restored.restore(earlier);
  const phases = repeated(4, done).map((event) => restored.push(event).verdicts.length);
  expect(phases).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test('same-message: continues after a restart', () => {
  fc.assert(
    fc.property(messages, (sequence) => {
      const events = turns(...sequence);
      expect(runReloading(events, () => true, { preset: 'balanced' })).toEqual(
        run(events, { preset: 'balanced' }),
      );
    }),
  );
});

test.each([
  ['in one piece', 1],
  ['in 500 pieces', 500],
])('same-message: stores nothing of a message that is too long, %s', (_, count) => {
  const session = analyzer({ preset: 'balanced', content_loop: { enabled: false } });
  const said = Array.from({ length: count }, () => text('x'.repeat(50_000 / count)));
  for (const event of [{ type: 'turn_started' } as const, ...said]) session.push(event);
  const snapshot = JSON.stringify(session.snapshot());
  expect(snapshot).not.toContain('xx');
  expect(snapshot.length).toBeLessThan(8000);
});
