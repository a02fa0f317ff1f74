import type { AgentEvent } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { call, text } from '../sessions.ts';
import { said } from '../steps.ts';

const START = 1_760_000_000_000;

/** Events two seconds apart. */
function timed(events: readonly AgentEvent[], stepMs = 2000): AgentEvent[] {
  return events.map((event, i) => ({ ...event, time: START + i * stepMs }));
}
/** The events of one check of several, each two minutes after the one before. */
function minutesApart(check: number, events: readonly AgentEvent[]): AgentEvent[] {
  return timed(events).map((event) => ({ ...event, time: Number(event.time) + check * 120_000 }));
}
const user = (prompt: string, origin?: 'user' | 'harness'): AgentEvent => ({
  type: 'prompt_started',
  text: prompt,
  ...(origin && { origin }),
});
const turn: AgentEvent = { type: 'turn_started' };
const failing: AgentEvent[] = [
  turn,
  call('shell', { command: 'npm run check' }),
  { type: 'tool_result', result: 'TypeError: totals is undefined', isError: true },
];
const looking: AgentEvent[] = [
  turn,
  call('shell', { command: 'cat src/sum.ts' }),
  { type: 'tool_result', result: 'export const sum = (a: number) => a;' },
];
const times = <T>(count: number, of: (i: number) => readonly T[]): T[] =>
  Array.from({ length: count }, (_, i) => of(i)).flat();
const words = [
  'apples',
  'bridges',
  'clouds',
  'dunes',
  'engines',
  'fields',
  'gates',
  'hills',
  'islands',
  'jars',
];
/** A long answer that shares few words with any other. */
const essay = (i: number): AgentEvent =>
  text(
    times(60, (k) => [
      `${words[(i + k) % 10] ?? ''}${String.fromCharCode(97 + i)}${String.fromCharCode(97 + (k % 26))}`,
    ]).join(' '),
  );
const opened = (events: readonly AgentEvent[]) =>
  said(events)
    .filter((line) => line.includes(' opened '))
    .map((line) => line.split(' opened')[0]);

it.each<{ what: string; events: AgentEvent[]; expected: string[] }>([
  {
    what: 'tool-repeat: a reminder between two failures ends no run',
    events: [
      user('fix it'),
      ...times(4, (i) => [...failing, user(`Keep the ${words[i] ?? ''} tidy.`, 'harness')]),
    ],
    expected: ['tool-repeat'],
  },
  {
    what: 'tool-repeat: neither does one beside the results, whoever sends it',
    events: [
      user('fix it'),
      ...times(4, (i) => [...failing, user(`<env>cwd: /w, ${words[i] ?? ''} open</env>`)]),
    ],
    expected: ['tool-repeat'],
  },
  {
    what: 'tool-repeat: nor one known from the agent',
    events: [
      user('fix it'),
      ...times(4, (i) => [
        ...failing,
        text('Hm.'),
        user(`<system-reminder>${words[i] ?? ''}</system-reminder>`),
      ]),
    ],
    expected: ['tool-repeat'],
  },
  {
    what: 'tool-repeat: nor the same nudge, sent sooner than a person could',
    events: [user('fix it'), ...times(5, () => [...failing, text('I am stuck.'), user('Go on.')])],
    expected: ['tool-repeat'],
  },
  {
    what: 'tool-repeat: a person repeats a request after minutes, although the end of the turn is noted only then',
    events: times(6, (i) => {
      const at = START + i * 300_000;
      const asked = [user('Look at the board.'), ...failing, turn, text('It is red.')];
      return [
        ...asked.map((event, n) => ({ ...event, time: at + n * 2000 })),
        { type: 'turn_finished' as const, time: at + 300_000 },
      ];
    }),
    expected: [],
  },
  {
    what: 'rejections: without times, the same one again and again is the loop of a harness',
    events: [
      user('fix it'),
      ...times(6, (i) => [turn, essay(i), user('Error: your response contained no tool call.')]),
    ].map((event) => ({ ...event, time: START })),
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'tool-cycle: reminders between the steps of a cycle end no run',
    events: [
      user('fix it'),
      ...times(4, (i) => [
        ...failing,
        user(`Mind the ${words[i] ?? ''}.`, 'harness'),
        ...looking,
        user(`Watch the ${words[i + 4] ?? ''}.`, 'harness'),
      ]),
    ],
    expected: ['tool-cycle'],
  },
  {
    what: 'stagnation: one error over many arguments goes on across reminders',
    events: [
      user('fix it'),
      ...times(6, (i) => [
        turn,
        call('deploy', { region: words[i] ?? '' }),
        {
          type: 'tool_result' as const,
          result: 'Error: the license of this account has expired',
          isError: true,
        },
        user(`Mind the ${words[i] ?? ''}.`, 'harness'),
      ]),
    ],
    expected: ['stagnation/same-error'],
  },
  {
    what: 'same-message: two answers to a nudge that no person could send so soon',
    events: timed(
      [
        user('fix it'),
        ...times(9, (i) => [
          turn,
          text(i % 2 === 0 ? 'I cannot help with that request.' : 'Sorry, that is not possible for me.'),
          { type: 'turn_finished' as const },
          user('Continue'),
        ]),
      ],
      1000,
    ),
    expected: ['stagnation/same-message'],
  },
  {
    what: 'same-message: a new part of a text for each such nudge',
    events: timed(
      [
        user('tell me a story'),
        ...times(10, (i) => [
          turn,
          text(`Then the fox went to the ${words[i] ?? ''} and sang.`),
          { type: 'turn_finished' as const },
          user('Continue'),
        ]),
      ],
      1000,
    ),
    expected: [],
  },
  {
    what: 'same-message: one of two answers to each of many questions of a program',
    events: [
      ...times(10, (i) => [
        user(`Is the answer about ${words[i] ?? ''} right?`, 'harness'),
        turn,
        text(i % 3 === 0 ? 'It does not match the reference.' : 'It does match the reference.'),
      ]),
    ],
    expected: [],
  },
  {
    what: 'same-message: differing nudges end no run of messages',
    events: [
      user('fix it'),
      ...times(5, (i) => [
        turn,
        text('There is nothing left that I could do here.'),
        { type: 'turn_finished' as const },
        user(`Have you looked at the ${words[i] ?? ''}?`, 'harness'),
      ]),
    ],
    expected: ['stagnation/same-message'],
  },
  {
    what: 'a person who asks again starts over',
    events: [
      user('fix it'),
      ...times(6, () => [...failing, ...failing, text('It fails.'), user('And now?', 'user')]),
    ],
    expected: [],
  },
  {
    what: 'a person without an origin who takes time to ask again starts over',
    events: timed([user('fix it'), ...times(6, () => [...failing, ...failing, user('And now?')])], 15_000),
    expected: [],
  },
  {
    what: 'scheduled checks start over each time',
    events: times(8, (i) =>
      timed([user('Check the queue.', 'harness'), ...failing, text('It is down.')]).map((event) => ({
        ...event,
        time: Number(event.time) + i * 1_800_000,
      })),
    ),
    expected: [],
  },
  {
    what: 'checks every two minutes that find nothing wrong start over each time',
    events: times(8, (i) => minutesApart(i, [user('[heartbeat] Check.', 'harness'), ...looking, text('OK')])),
    expected: [],
  },
  {
    what: 'tool-repeat: work that fails and is started again after two minutes goes on',
    events: times(8, (i) =>
      minutesApart(i, [user('Restarting.', 'harness'), ...failing, text('It is down.')]),
    ),
    expected: ['tool-repeat'],
  },
  {
    what: 'rejections: so does an answer that is rejected after two minutes',
    events: times(8, (i) =>
      minutesApart(i, [user('Error: your response contained no tool call.', 'harness'), turn, essay(i)]),
    ),
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'tool-repeat: so does work between stop hooks that take two minutes',
    events: times(8, (i) => minutesApart(i, [user('Stop hook feedback: tests failed'), ...looking])),
    expected: ['tool-repeat'],
  },
  {
    what: 'a person who writes right after a denial starts over',
    events: times(6, (i) => [
      user(`I mended the ${words[i] ?? ''}, try again.`),
      ...failing,
      ...failing.slice(0, 2),
      { type: 'tool_result', result: 'Denied.', denied: true },
    ]),
    expected: [],
  },
  {
    what: 'rejections: long answers that differ are a loop',
    events: [
      user('fix it'),
      ...times(6, (i) => [
        turn,
        essay(i),
        user('Your reply could not be parsed. Send one JSON object.', 'harness'),
      ]),
    ],
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'rejections: so they are if the parser words each one differently',
    events: [
      user('fix it'),
      ...times(6, (i) => [
        turn,
        essay(i),
        user(
          `Invalid JSON in your answer: unexpected ${words[i] ?? ''} at line ${String(i * 7)}.`,
          'harness',
        ),
      ]),
    ],
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'rejections: so they are if the agent says by a tool that it has finished',
    events: [
      user('fix it'),
      ...times(6, (i) => [
        turn,
        call('finish', { message: `It is done, as far as ${words[i] ?? ''} go.` }),
        user('[Stop hook feedback] lint: eslint: not found', 'harness'),
      ]),
    ],
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'rejections: a nudge of unknown origin that calls the work unfinished is one too',
    events: [
      user('fix it'),
      ...times(6, (i) => [
        turn,
        essay(i),
        user('Incomplete tasks remain in your list. Continue with the next one.'),
      ]),
    ],
    expected: ['stagnation/same-prompt'],
  },
  {
    what: 'rejections: one prompt sent for many different answers rejects none',
    events: times(12, (i) => [
      user('Name a bridge. Answer in the format of JSON, with exactly one field.'),
      turn,
      essay(i),
    ]),
    expected: [],
  },
  {
    what: 'rejections: three, after which the agent works, are none',
    events: [
      user('fix it'),
      ...times(3, (i) => [turn, essay(i), user('Expected exactly one action, got none.', 'harness')]),
      ...looking,
      turn,
      essay(4),
      user('Expected exactly one action, got none.', 'harness'),
      turn,
      essay(5),
    ],
    expected: [],
  },
  {
    what: 'rejections: a harness that asks for the next part of a long text rejects nothing',
    events: [
      user('write a book'),
      ...times(12, (i) => [turn, essay(i), user('Please continue.', 'harness')]),
    ],
    expected: [],
  },
  {
    what: 'rejections: work between stop hooks is work',
    events: [
      user('fix it'),
      ...times(8, (i) => [
        turn,
        call('edit', { path: `${words[i] ?? ''}.ts`, text: String(i) }),
        { type: 'tool_result' as const, result: `The file ${words[i] ?? ''}.ts has been updated.` },
        turn,
        text(`Fixed ${words[i] ?? ''}.`),
        user('Stop hook feedback: tests failed', 'harness'),
      ]),
    ],
    expected: [],
  },
])('$what', ({ events, expected }) => {
  expect(opened(events.some(({ time }) => time != null) ? events : timed(events))).toEqual(expected);
});
