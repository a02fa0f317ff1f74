import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { StepChain } from '../../../src/detectors/stagnation/step-chain.ts';
import { fingerprint } from '../../../src/lib/digest.ts';
import { analyzer, call, runReloading, text } from '../../sessions.ts';
import { said } from '../../steps.ts';

interface Round {
  readonly prompt?: string;
  readonly origin?: 'user' | 'harness';
  readonly events?: readonly AgentEvent[];
}

/** Prompts with what came of each; each event a second after the one before, a prompt `gap` seconds after. */
function prompts(rounds: readonly Round[], gap = 1): AgentEvent[] {
  let time = 1_760_000_000_000;
  return rounds.flatMap(({ prompt = 'Go on.', origin, events = [] }) => {
    time += gap * 1000;
    const start: AgentEvent = { type: 'prompt_started', text: prompt, time, ...(origin && { origin }) };
    return [start, ...events.map((event) => ({ ...event, time: (time += 1000) }))];
  });
}
const repeated = (times: number, round: Round | ((i: number) => Round)): Round[] =>
  Array.from({ length: times }, (_, i) => (typeof round === 'function' ? round(i) : round));

const done = [text('All is done.')];
const failing: AgentEvent[] = [
  { type: 'turn_started' },
  call('bash', { command: 'git pull' }),
  { type: 'tool_result', result: "You've hit your usage limit.", isError: true },
];
const opened = ['stagnation/same-prompt opened chance 5'];

const readers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** What harnesses tell of another agent, or of work in the background. */
const reportsOfOthers: readonly ((name: string, i: number) => string)[] = [
  (name, i) =>
    `<task-notification>\n<task-id>a${String(i)}</task-id>\n<status>completed</status>\n<result>An error in ${name}: a test is missing.</result>`,
  (name) => `<subagent_notification>{"status":{"completed":"Errors in ${name} are missing tests."}}`,
  (_, i) => `<system-reminder>\nBackground Bash b${String(i)} (command: npm test) failed with an error`,
  (name) => `[BACKGROUND TASK COMPLETED] Task "Review ${name}" failed: 2 tests are missing.`,
  (name) => `Sub-agent ${name} has finished. It could not parse the format.`,
  (name) => `Message from agent reviewer-${name}: error handling is missing.`,
  (name, i) => `Job build-${name} (#${String(400 + i)}) failed: expected 3 tests.`,
  (name) => `[Agent ${name}] Done. An error is swallowed.`,
];

/** A long answer that resembles no other. */
const essayText = (i: number): string =>
  Array.from({ length: 120 }, (_, n) =>
    ((i * 971 + n * n * 37 + n * 1013) % 9973)
      .toString(36)
      .replace(/\d/g, (digit) => 'aeioulmnrs'.charAt(Number(digit))),
  ).join(' ');
const essay = (i: number): AgentEvent[] => [text(essayText(i))];

describe('same-prompt', () => {
  it.each<{ what: string; events: AgentEvent[]; expected: string[] }>([
    {
      what: 'opens at the fifth immediate prompt with the same answer',
      events: prompts(repeated(5, { events: done })),
      expected: opened,
    },
    {
      what: 'is silent at reminders while the agent waits',
      events: prompts(
        repeated(8, {
          prompt: 'Use the tools, step by step.',
          origin: 'harness',
          events: [
            { type: 'turn_started' },
            call('bash', { command: 'sleep 20 && curl -s localhost:8080/health' }),
            { type: 'tool_result', result: 'curl: (7) Failed to connect', isError: true },
          ],
        }),
      ),
      expected: [],
    },
    { what: 'is silent at four prompts', events: prompts(repeated(4, { events: done })), expected: [] },
    {
      what: 'is silent at four prompts that are each delivered twice without ids',
      events: prompts(repeated(4, { origin: 'harness', events: done })).flatMap((event) =>
        event.type === 'prompt_started' ? [event, event] : event,
      ),
      expected: [],
    },
    {
      what: 'counts prompts that follow each other if they have ids',
      events: Array.from({ length: 5 }, (_, i) => ({
        type: 'prompt_started',
        text: 'No tool calls found.',
        origin: 'harness',
        id: `p${String(i)}`,
      })),
      expected: opened,
    },
    {
      what: 'leaves restarts that fail in the same way to tool-repeat',
      events: prompts(repeated(5, { events: failing })),
      expected: ['tool-repeat opened chance 3', 'tool-repeat escalated block 4'],
    },
    {
      what: 'ignores a user who waits before asking again',
      events: prompts(repeated(12, { events: done }), 20),
      expected: [],
    },
    {
      what: 'ignores prompts whose event names a user as origin',
      events: prompts(repeated(12, { events: done, origin: 'user' })),
      expected: [],
    },
    {
      what: 'ignores quick prompts with a different answer each time',
      events: prompts(
        repeated(12, (i) => ({
          events: [text(`Chapter ${'one two three four five six seven'.split(' ')[i % 7] ?? ''}`)],
        })),
      ),
      expected: [],
    },
    {
      what: 'counts prompts whose event names the harness, whatever their delay and answers',
      events: prompts(
        repeated(5, (i) => ({ origin: 'harness', events: [text(`Answer ${'abcde'[i] ?? ''}`)] })),
        60,
      ),
      expected: opened,
    },
    {
      what: 'counts prompts with the text of a known harness',
      events: prompts(repeated(5, { prompt: 'Stop hook feedback:\ntests are red', events: done }), 60),
      expected: opened,
    },
    ...[
      'Formatfehler: genau ein Befehl wird erwartet, gefunden: 2.',
      '格式错误：每次回复只能有一个操作，发现 2 个。',
      'Erreur : votre réponse doit contenir un seul appel (2 reçus).',
      'You have made no call. Never ask a person for help; go on by yourself.',
      'Only one action per turn is allowed.',
      'The message exceeds 200 words.',
      'The budget is nearly used up, you have to submit a patch now.',
      'No patch was produced. Produce one.',
      'Die Antwort ist kein gültiges XML.',
    ].map((prompt) => ({
      what: `counts a harness that rejects long answers: ${prompt}`,
      events: prompts(
        repeated(6, (i) => ({
          prompt: prompt.replace('2', String(2 + i)),
          origin: 'harness',
          events: essay(i),
        })),
        60,
      ),
      expected: [...opened, 'stagnation/same-prompt escalated block 6'],
    })),
    {
      what: 'ignores a harness that asks for one chapter after the other',
      events: prompts(
        repeated(9, (i) => ({ prompt: 'Next chapter.', origin: 'harness', events: essay(i) })),
        60,
      ),
      expected: [],
    },
    ...[
      'Chapter 2 is saved. Go on with part 3.',
      'Exercise 2: what is 30 x 3?',
      'You are at (2, 3). Your move?',
      'ここまでで2問です。大阪の人口は3万人を超えますか。',
    ].map((prompt) => ({
      what: `ignores a harness that leads on by numbers: ${prompt}`,
      events: prompts(
        repeated(9, (i) => ({
          prompt: prompt.replace('2', String(2 + i)).replace('3', String(3 + ((i * i) % 7))),
          origin: 'harness',
          events: [text(['left', 'right', 'right', 'up'][i % 4] ?? '')],
        })),
      ),
      expected: [],
    })),
    {
      what: 'counts rejections without times that have an id each',
      events: prompts(
        repeated(5, (i) => ({
          prompt: `<error>No call was found (id 7f${String(i)}ab3c1)</error>`,
          events: essay(i),
        })),
      ).map((event) => ({ ...event, time: 0 })),
      expected: opened,
    },
    {
      what: 'counts what a parser answers, without times',
      events: prompts(
        repeated(5, (i) => ({ prompt: 'Observation: Invalid Format: Missing "Action:"', events: essay(i) })),
      ).map((event) => ({ ...event, time: 0 })),
      expected: opened,
    },
    ...[
      'Your answer has 90 words; it must have at most 50.',
      '90 validation errors; correct your answer.',
    ].map((prompt) => ({
      what: `is silent while a number falls, and not when it stays: ${prompt}`,
      events: prompts(
        repeated(11, (i) => ({
          prompt: prompt.replace('90', String(Math.max(90 - i, 84))),
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: ['stagnation/same-prompt opened chance 10', 'stagnation/same-prompt escalated block 11'],
    })),
    {
      what: 'is silent while less and less is missing',
      events: prompts(
        readers.map((_, i) => ({
          prompt: `Missing fields: ${readers.slice(i).join(', ')}. Please correct your answer.`,
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: [],
    },
    ...[
      'Invalid answer, 9 attempts left.',
      'Invalid answer. Retries remaining: 9',
      'Invalid answer in step 9 of 12.',
      'Your answer has no action. Steps left: 9',
      'Ungültige Antwort (Versuch 9 von 20): genau ein Aufruf wird erwartet.',
    ].map((prompt) => ({
      what: `counts rejections that count the attempts: ${prompt}`,
      events: prompts(
        repeated(5, (i) => ({
          prompt: prompt.replace('9', String(9 - i)),
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: opened,
    })),
    {
      what: 'ignores demands that are others each time',
      events: prompts(
        [
          'the owner is missing',
          'name each exception',
          'no period is stated',
          'number all sections',
          'the scope is vague',
          'add an address',
        ].map((prompt) => ({
          prompt: `Review: not accepted yet: ${prompt}.`,
          origin: 'harness',
          events: [text('Here is the policy, with what was asked for.')],
        })),
      ),
      expected: [],
    },
    {
      what: 'ignores demands for one field after the other',
      events: prompts(
        ['title', 'author', 'pages', 'isbn', 'publisher', 'price', 'language'].map((field, i) => ({
          prompt: `Invalid answer: the required field "${field}" is missing.`,
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: [],
    },
    {
      what: 'counts two rejections that take turns',
      events: prompts(
        repeated(6, (i) => ({
          prompt: `Your answer was rejected: ${i % 2 ? 'no tool was called' : 'the action field is missing'}.`,
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: opened,
    },
    {
      what: 'counts two rejections that take turns and have few words in common',
      events: prompts(
        repeated(6, (i) => ({
          prompt: i % 2 ? 'Format error: the field "action" is missing.' : 'Format error: text before JSON.',
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: opened,
    },
    {
      what: 'counts rejections of too little and of too much that take turns',
      events: prompts(
        repeated(5, (i) => ({
          prompt: `${i % 2 ? 'No' : 'More than one'} code block was seen.`,
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: opened,
    },
    {
      what: 'counts checks of a goal that number themselves',
      events: prompts(
        repeated(5, (i) => ({
          prompt: `Goal check ${i + 1}: 0 of 4 criteria met. Go on.`,
          origin: 'harness',
          events: [text(`It is done, said the ${readers[i] ?? ''}.`)],
        })),
      ),
      expected: opened,
    },
    {
      what: 'counts what a schema rejects in other words each time',
      events: prompts(
        repeated(5, (i) => ({
          prompt: `ValidationError: level: Input should be 'S1' or 'S2', not ${readers[i] ?? ''}.`,
          origin: 'harness',
          events: essay(i),
        })),
      ),
      expected: opened,
    },
    ...[1, 0].map((timed) => ({
      what: `counts a goal that is not reached, with times or without: ${String(timed)}`,
      events: prompts(
        repeated(5, (i) => ({
          prompt: 'The goal has not been reached yet: score 91 of 100. Keep working.',
          events: essay(i),
        })),
      ).map((event) => ({ ...event, time: Number(event.time) * timed })),
      expected: opened,
    })),
    {
      what: 'counts rejections that quote the answer',
      events: prompts(
        repeated(5, (i) => ({
          prompt: `Error in code parsing:\n${i > 0 ? essayText(i - 1).slice(0, 60) : ''}\nNow retry.`,
          events: essay(i),
        })),
      ),
      expected: opened,
    },
    {
      what: 'counts the words of a stop hook of any agent',
      events: prompts(
        repeated(5, (i) => ({ prompt: 'Stop hook blocked: format first.', events: essay(i) })),
        60,
      ),
      expected: opened,
    },
    ...reportsOfOthers.map((report) => ({
      what: `ignores reports of different work: ${report('search', 0)}`,
      events: prompts(
        readers.map((name, i) => ({
          prompt: report(name, i),
          origin: 'harness',
          events: [{ type: 'turn_started' }, text('Noted. I wait for the others.')],
        })),
        25,
      ),
      expected: [],
    })),
    {
      what: 'counts a report that comes again unchanged',
      events: prompts(
        repeated(5, {
          prompt: '<task-notification>\n<task-id>a1</task-id>\n<status>failed</status>',
          events: done,
        }),
        25,
      ),
      expected: opened,
    },
    ...[
      'Task verification failed: the file "out1.txt" is missing.',
      'The task "cart" is not finished: 1 error is left.',
      'Agent (step 1): your answer is missing a call.',
    ].map((prompt) => ({
      what: `counts what speaks of the agent's own work: ${prompt}`,
      events: prompts(
        repeated(5, (i) => ({
          prompt: prompt.replace('1', String(i)),
          origin: 'harness',
          events: essay(i),
        })),
        25,
      ),
      expected: opened,
    })),
    {
      what: 'is silent if the prompts lead to new work',
      events: prompts(
        repeated(12, (i) => ({
          origin: 'harness',
          events: [
            call('read', { path: String(i) }),
            { type: 'tool_result', result: `file ${String(i)} has other lines` },
          ],
        })),
      ),
      expected: [],
    },
    {
      what: 'ignores reminders between the results of one step',
      events: [
        { type: 'turn_started' },
        ...readers.map((callId) => ({ ...call('read', { path: callId }), callId })),
        ...readers.flatMap((callId): AgentEvent[] => [
          { type: 'tool_result', callId, result: `${callId} has other lines` },
          { type: 'prompt_started', origin: 'harness', text: 'Keep the list of tasks up to date.' },
        ]),
      ],
      expected: [],
    },
    {
      what: 'treats prompts that differ only in a time as equal',
      events: prompts(
        repeated(5, (i) => ({ prompt: `Heartbeat 2026-03-04T10:1${String(i)}:00Z`, events: done })),
      ),
      expected: opened,
    },
    {
      what: 'is silent on streams without times',
      events: prompts(repeated(12, { events: done })).map((event) => ({ ...event, time: 0 })),
      expected: [],
    },
    {
      what: 'resolves when another prompt follows',
      events: prompts([...repeated(5, { events: done }), { prompt: 'Now the docs.' }]),
      expected: [...opened, 'stagnation/same-prompt resolved recovered 5'],
    },
    {
      what: 'escalates at the next prompt, and is resolved at the end of the session',
      events: [...prompts(repeated(6, { events: done })), { type: 'session_ended' }],
      expected: [
        ...opened,
        'stagnation/same-prompt escalated block 6',
        'stagnation/same-prompt resolved ended 6',
      ],
    },
  ])('$what', ({ events, expected }) => {
    expect(said(events)).toEqual(expected);
  });

  it('continues after its state is restored from JSON', () => {
    const events = prompts(repeated(11, { events: done }));
    const config = { preset: 'balanced' } as const;
    const whole = runReloading(events, () => false, config);
    expect(runReloading(events, () => true, config)).toEqual(whole);
    expect(whole.map(({ phase }) => phase)).toEqual(['opened', 'escalated', 'escalated']);
  });

  it('continues from a snapshot of an earlier version, which has no numbers', () => {
    const events = prompts(repeated(5, { events: done }));
    const session = analyzer({ preset: 'balanced' });
    for (const event of events.slice(0, -2)) session.push(event);
    const snapshot = JSON.stringify(session.snapshot(), (_, value: object | null) =>
      value !== null && typeof value === 'object' && 'stepsBefore' in value
        ? { ...value, numbers: undefined }
        : value,
    );
    expect(snapshot).not.toBe(JSON.stringify(session.snapshot()));
    const restored = analyzer({ preset: 'balanced' });
    restored.restore(JSON.parse(snapshot) as ReturnType<typeof session.snapshot>);
    const verdicts = events.slice(-2).flatMap((event) => [...restored.push(event).verdicts]);
    expect(verdicts.map(({ phase }) => phase)).toEqual(['opened']);
  });

  it('counts the cost from the first prompt, and shows the prompt if text is stored', () => {
    const find = (store_text: boolean) => {
      const session = analyzer({ preset: 'balanced', privacy: { store_text } });
      return prompts(repeated(5, { prompt: 'Say done.', events: done })).flatMap((event) => [
        ...session.push(event).verdicts,
      ])[0];
    };
    expect(find(true)).toMatchObject({
      cost: { ms: 8000 },
      evidence: { rule: 'same-prompt', repeated: 'Say done.' },
    });
    expect(find(true)?.reason).toContain('“Say done.”');
    expect(JSON.stringify(find(false))).not.toContain('Say done');
  });
});

/** Every third step grows again after it was added. */
const added = Array.from({ length: 200 }, (_, i) => ({
  outcome: `outcome ${String(i)}`,
  regrown: i % 3 === 2,
}));

/** The hashes after each addition, computed at once. */
function eager(): { steps: string; stepsBefore: string }[] {
  let [steps, stepsBefore] = ['', ''];
  return added.map(({ outcome, regrown }) => {
    if (!regrown) stepsBefore = steps;
    steps = fingerprint(`${stepsBefore}\n${outcome}`);
    return { steps, stepsBefore };
  });
}

it('StepChain: the hashes do not depend on when they are read', () => {
  for (const every of [1, 2, 3, 7, 500]) {
    const chain = new StepChain();
    const hashes = added.map(({ outcome, regrown }, i) => {
      chain.add(outcome, regrown);
      return i % every === 0 ? chain.hashes() : undefined;
    });
    expect([...hashes, chain.hashes()]).toEqual([
      ...eager().map((expected, i) => (i % every === 0 ? expected : undefined)),
      eager().at(-1),
    ]);
  }
});

it('StepChain: a checkpoint is unaffected by later steps', () => {
  const chain = new StepChain();
  const checkpoints = added.map(({ outcome, regrown }) => {
    chain.add(outcome, regrown);
    return chain.checkpoint();
  });
  chain.clear();
  chain.add('another prompt', false);
  expect(checkpoints.map((complete) => complete())).toEqual(eager());
});

it('StepChain: continues from restored hashes', () => {
  const chain = new StepChain();
  for (const { outcome, regrown } of added.slice(0, 98)) chain.add(outcome, regrown);
  const copy = new StepChain();
  copy.restore(chain.hashes());
  for (const { outcome, regrown } of added.slice(98)) copy.add(outcome, regrown);
  expect(copy.hashes()).toEqual(eager().at(-1));
});
