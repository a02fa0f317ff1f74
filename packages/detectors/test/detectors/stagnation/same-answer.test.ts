import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { type ShortStep, said, turns } from '../../steps.ts';

const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi'.split(' ');
const calls = (name: string, field: string, result: unknown, count = 7, prefix = '') =>
  turns(...words.slice(0, count).map((word) => [name, result, { [field]: `${prefix}${word}` }] as const));
const found = ['stagnation/same-answer opened chance 6', 'stagnation/same-answer escalated block 7'];

describe('one answer to different calls', () => {
  it.each([
    ['the same hits for every pattern', calls('grep', 'pattern', '12: const policy = policies.default;')],
    [
      'the same page for every address',
      calls('fetch_page', 'nonce', `The page about trams. ${'It is long. '.repeat(8)}`),
    ],
    [
      'the same wall behind every address',
      calls('goto', 'url', 'Please sign in to continue. Or sign up here, it takes a minute.'),
    ],
    [
      'a record of which a part is cached',
      calls('get_contact', 'nonce', '{"cached":false,"city":"Oslo","name":"Ada","phone":"12 34 56 78"}'),
    ],
    ['commands that do nothing', calls('bash', 'command', '(Bash completed with no output)', 7, ': ')],
    [
      'repeated checks of a clean tree',
      calls('bash', 'command', 'nothing to commit, working tree clean', 7, 'git status --'),
    ],
  ])('is a loop: %s', (_, events) => {
    expect(said(events)).toEqual(found);
  });

  it.each([
    ['a batch of work', calls('resize_image', 'file', 'resized to 640 x 480 pixels, quality 80')],
    ['passing tests', calls('run_tests', 'file', '1 passed, 0 failed, 0 skipped in this file')],
    ['a user who agrees', calls('ask_user', 'question', 'Yes, please go ahead with that one.')],
    ['empty files', calls('bash', 'command', '', 7, 'cat ')],
    ['searches that find nothing', calls('search', 'q', '{"results":[],"total":0,"page":1}')],
    [
      'servers on no list',
      calls('lookup_blocklist', 'ip', '{"asked":"dnsbl.example, spam.example","checked":48,"listed":false}'),
    ],
    [
      'pages without mistakes',
      calls('fetch_notes', 'page', 'このページに誤りは見つかりませんでした。'.repeat(4)),
    ],
    [
      'drawers without letters',
      calls(
        'get_drawer',
        'name',
        'Nessuna lettera si trova in questo cassetto, che fu chiuso a chiave da tempo.',
      ),
    ],
    ['days without events', calls('list_events', 'day', 'There are no events on this day.')],
    [
      'files that are not there',
      calls('bash', 'command', '{"exit_code":1,"stderr":"","stdout":""}', 14, 'test -f '),
    ],
    [
      'hosts with one configuration, some of short names',
      turns(
        ...['elm', 'oak', 'ash', 'fig', 'fir', ...words]
          .slice(0, 12)
          .map(
            (name): ShortStep => [
              'bash',
              'driftfile /var/lib/ntp/drift\nserver 0.pool.example iburst\nrestrict default nomodify noquery',
              { command: `ssh ${name} cat /etc/ntp.conf` },
            ],
          ),
      ),
    ],
    ['columns that many tables share', calls('bash', 'command', 'id,name,street,city', 7, 'head -1 ')],
    ['a price that many items share', calls('get_price', 'item', '{"currency":"EUR","price":9.99}')],
    ['healthy servers', calls('get_health', 'host', '{"status":"healthy","checks":12}')],
  ])('is no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });

  it('needs twice as many repeats if it is short', () => {
    expect(said(calls('get_price', 'item', '{"currency":"EUR","price":9.99}', 12))).toEqual([
      'stagnation/same-answer opened chance 12',
    ]);
  });
});

describe('stagnation', () => {
  const questions = [
    'when was the last horse tram line closed',
    'year the last horse tram line was closed',
    'the last horse tram line was closed when',
    'closed last horse tram line what year',
    'tell me when the last horse tram line was closed',
  ];
  it.each<[string, (q: string) => unknown]>([
    ['a page', () => '1. Trams of the world. 2. A short history of trams.'],
    ['hits that fit better or worse', (q) => [{ page: 'Trams of the world', score: q.length / 97 }]],
    ['nothing', () => []],
    ['nothing, with a message that repeats the question', (q) => `No results found for "${q}".`],
    ['a failure that repeats the question', (q) => `Could not find [${q}]. Similar: ['Trams']`],
  ])('same-answer: opens at the fourth rephrased question that leads to %s', (_, answer) => {
    const steps = questions.map((q): ShortStep => ['search', answer(q), { q }]);
    expect(said(turns(...steps.slice(0, 3)))).toEqual([]);
    expect(said(turns(...steps))).toEqual([
      'stagnation/same-answer opened chance 4',
      'stagnation/same-answer escalated block 5',
    ]);
  });

  const past = (tell: (n: number) => unknown, args: (n: number) => Record<string, unknown>) =>
    turns(...Array.from({ length: 7 }, (_, i): ShortStep => ['read', tell(3 + i), args(3 + i)]));
  const page = (n: number) => ({ list: 'orders', page: n });
  it.each([
    [
      'an offset',
      past(
        (n) => `Offset ${n}00 is beyond the end (120 lines).`,
        (n) => ({ offset: n * 100 }),
      ),
    ],
    [
      'a note around nothing',
      past(
        (n) =>
          `<system-reminder>Warning: the file is shorter than the provided offset (${n}0). The file has 12 lines.</system-reminder>`,
        (n) => ({ file_path: '/a.ts', offset: n * 10, limit: 10 }),
      ),
    ],
    ['a page', past((n) => ({ page: n, orders: [], total: 5 }), page)],
    [
      'a page of a tool that ignores it',
      past((n) => ({ page: n, orders: [{ id: 'W1', sent: true }] }), page),
    ],
    [
      'both ends of a range',
      past(
        (n) => `Lines ${n}0-${n}9 are out of range.`,
        (n) => ({ view_range: [n * 10, n * 10 + 9] }),
      ),
    ],
  ])('same-answer: opens at the fourth position that the answer repeats: %s', (_, events) => {
    expect(said(events)[0]).toBe('stagnation/same-answer opened chance 4');
  });

  it.each([
    [
      'rows',
      past(
        (n) => ({ offset: n * 10, rows: [n * 10 + 1, n * 10 + 2] }),
        (n) => ({ offset: n * 10 }),
      ),
    ],
    ['what is done with each page', past((n) => ({ page: n, state: 'rendered', type: 'png' }), page)],
    ['a page of records each', past((n) => ({ page: n, records: [{ id: n * 7 }] }), page)],
  ])('same-answer: ignores pages that bring something else: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });

  const succeeding = (events: readonly AgentEvent[]) =>
    events.map((event) => (event.type === 'tool_result' ? { ...event, isError: false } : event));
  const unable = 'I could not clone the repository: Permission denied (publickey).';
  const launched =
    'The agent works in the background, and its report on the module will follow when it is done.';
  const tasks = [
    'List the owners named in CODEOWNERS of acme/secrets.',
    'Please list all owners that CODEOWNERS of acme/secrets names.',
    'Read CODEOWNERS in acme/secrets and list the owners.',
    'Find the owners in CODEOWNERS of the repo acme/secrets.',
  ];
  it.each(['Task', 'Agent', 'task'])('same-answer: %s is given one task in other words, in vain', (name) => {
    const given = (result: string) =>
      succeeding(turns(...tasks.map((prompt): ShortStep => [name, result, { prompt }])));
    expect(said(given(unable))).toEqual(['stagnation/same-answer opened chance 4']);
    expect(said(given(launched))).toEqual([]);
  });

  it('same-answer: ignores a task for one folder after another', () => {
    const review = (name: string): ShortStep => [
      'Task',
      unable,
      { prompt: `Review the folder packages/${name} for swallowed errors.` },
    ];
    expect(said(succeeding(turns(...words.slice(0, 9).map(review))))).toEqual([]);
  });

  it.each(['think', 'send_message', 'updatePlan', 'add_note'])(
    'same-answer: ignores %s, which answers no question',
    (name) => {
      const steps = questions.map((q): ShortStep => [name, 'It was taken up and is passed on.', { q }]);
      expect(said(turns(...steps))).toEqual([]);
    },
  );

  it('same-answer: is silent if each question is about something else', () => {
    const places = ['Oslo', 'Bergen', 'Narvik', 'Molde', 'Hamar', 'Skien'];
    const search = (place: string): ShortStep => [
      'search',
      'No results found.',
      { q: `trains to ${place} on a Sunday` },
    ];
    expect(said(turns(...places.map(search)))).toEqual([]);
    const check = (place: string): ShortStep => [
      'check',
      'No problems in 1 sentence, 24 rules applied.',
      { text: `we go to ${place} now` },
    ];
    expect(said(turns(...places.map(check)))).toEqual([]);
  });
});
