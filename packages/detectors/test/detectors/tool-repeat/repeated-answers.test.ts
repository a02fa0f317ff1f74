import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';
import { type Case, events, hex, low, mixed, turned } from './changing-results.ts';

const answering: readonly Case[] = [
  [
    'an event beside named fields',
    'list_incidents',
    { service: 'billing' },
    (i) => ({
      eventId: mixed(i),
      items: [{ key: 'B-44', state: 'open', title: 'Billing is slow' }],
      total: 1,
    }),
  ],
  ['a trace', 'get_item', { id: 1 }, (i) => ({ v: 'one', trace: hex(i, 32) })],
  [
    'a warning about tokens',
    'read_file',
    { path: 'a.ts' },
    (i) =>
      `export const a = 1;\n<system_warning>Token usage: ${String(20_000 + i * 1331)}/200000</system_warning>`,
  ],
  [
    'a page with a nonce',
    'fetch_page',
    { url: 'https://a.example' },
    (i) => `<script nonce="${mixed(i)}"></script>The library is closed today and opens again on Monday.`,
  ],
  [
    'an ETag',
    'http_get',
    { url: 'https://a.example/x' },
    (i) =>
      `HTTP/1.1 200 OK\netag: W/"${hex(i, 16)}"\n\nThe museum of trams has its doors closed for the winter.`,
  ],
  [
    'a CSRF field',
    'open_form',
    { id: 7 },
    (i) =>
      `<form><input name="csrf" value="${mixed(i, 32)}">Please enter the name of the person you want to visit.</form>`,
  ],
  [
    'an event',
    'notify_oncall',
    { team: 'a' },
    (i) => ({ eventId: low(i, 10), message: 'the team a has no person on call, so the message was kept' }),
  ],
  [
    'a message',
    'look_up',
    { q: 'a' },
    (i) => ({
      id: `msg_${mixed(i, 22)}`,
      text: 'I do not know anything about this, please ask somebody else.',
    }),
  ],
  [
    'elements of a page',
    'browser_snapshot',
    {},
    (i) =>
      `heading "Sign in" [ref=e${String(i * 3)}], button "Continue with your work account" [ref=e${String(i * 3 + 1)}], a text that says welcome`,
  ],
  [
    'a screenshot',
    'screenshot',
    {},
    (i) => `Saved the picture of the page "Sign in to the portal" as /srv/shots/${hex(i, 16)}.png`,
  ],
  [
    'an amended commit',
    'Bash',
    { command: 'git commit --amend --no-edit' },
    (i) => `[main ${hex(i, 7)}] docs: say how to install\n 1 file changed, 2 insertions(+)`,
  ],
  [
    'a memory figure',
    'Bash',
    { command: 'npm run lint' },
    (i) =>
      `checked all files of the project, nothing to report, peak memory ${String(180 + ((i * 37) % 23))}.${String(i % 9)} MB`,
  ],
  [
    'a counter in a frame',
    'shell',
    { cmd: 'make check' },
    (i) =>
      `all targets are up to date and nothing was done\n[command #${String(i + 14)} finished, exit code 0]`,
  ],
  [
    'a set in another order',
    'list_tags',
    { article: 7 },
    (i) => ({ tags: turned(['red', 'blue', 'green', 'black', 'white', 'sale'], i) }),
  ],
  [
    'rows in another order',
    'query',
    { sql: 'SELECT id, name FROM plans' },
    (i) => turned(['(1, free)', '(2, team)', '(3, business)', '(4, legacy)'], i).join('\n'),
  ],
  [
    'matches in another order',
    'Bash',
    { command: 'rg -n login' },
    (i) => turned(['a.ts:3: login()', 'b.ts:9: login(1)', 'README.md:4: login'], i).join('\n'),
  ],
  [
    'a sequence number beside little else',
    'get_state',
    { lamp: 3 },
    (i) => ({ lamp: 3, color: 'white', seq: 101 + i * 3 }),
  ],
  [
    'the seconds that a link still works',
    'get_export',
    { id: 9 },
    (i) => ({ state: 'complete', url: 'https://a.example/9.zip', expires_in: 3600 - i * 7 }),
  ],
  [
    'a pod',
    'Bash',
    { command: 'kubectl logs deploy/web' },
    (i) => `Found several pods, using pod/web-7d9f8b6c5d-${low(i, 5)}\nserver could not read its settings`,
  ],
  [
    'a numbered picture',
    'look',
    {},
    (i) => ({
      screen: 'Update required',
      hint: 'The app must be updated first',
      shot: `step_${String(i + 7)}.png`,
    }),
  ],
  [
    'a screenshot named after the time',
    'browser_snapshot',
    {},
    (i) =>
      `Screenshot saved to /tmp/out/page-2026-10-12T08-00-1${String(i)}-4${String(i)}1Z.png\n- button "Next" [disabled]`,
  ],
  ['a process', 'run_report', {}, (i) => `report[${String(4711 + i * 7)}]: no input files, nothing to do`],
  [
    'a handle',
    'open_doc',
    { name: 'plan.odt' },
    (i) => `The document was opened (handle ${String(71_479 + i * 7919)}): it is a placeholder.`,
  ],
  [
    'a sequence number',
    'read_plc',
    { tag: 'valve3' },
    (i) => ({ seq: 18_200 + i, tag: 'valve3', reason: 'this device is not configured in the controller' }),
  ],
  [
    'the turns of a game',
    'move',
    { direction: 'east' },
    (i) => `You cannot go that way; a wall blocks the path.\nTurn ${String(20 + i)}`,
  ],
  [
    'a spinner',
    'check_project',
    {},
    (i) => `${'⠋⠙⠹⠸⠼⠴⠦⠧'[i] ?? ''} Checking\nNo problems were found in the project.`,
  ],
];

describe('the same call is a repetition although its result brings', () => {
  it.each(answering)('%s', (...one: readonly unknown[]) => {
    const verdicts = said(events(one as unknown as Case, 8));
    expect(verdicts[0]).toMatch(/^tool-repeat opened chance [3-5]$/);
    expect(verdicts[1]).toMatch(/^tool-repeat escalated block [4-6]$/);
  });
});

const deliveries: readonly Case[] = [
  [
    'a mail',
    'send_email',
    { to: 'ada@a.example', body: 'Please find our offer attached.' },
    (i) => ({ id: hex(i, 16), threadId: hex(i + 9, 16), labelIds: ['SENT'] }),
  ],
  [
    'an issue',
    'create_issue',
    { title: 'Tax is wrong' },
    (i) => ({ number: 101 + i, url: `https://git.example/issues/${String(101 + i)}`, state: 'open' }),
  ],
  ['a charge', 'chargeCard', { customer: 'c9', amount: 4200 }, (i) => `ch_${mixed(i)} succeeded`],
  [
    'a message',
    'slack_post_message',
    { channel: 'C1', text: 'Deploy of 4.2 is done.' },
    (i) => ({ ok: true, ts: `17935200${String(10 + i)}.${String(100_000 + i * 7919)}` }),
  ],
  [
    'a setting',
    'set_light',
    { room: 'kitchen', on: true },
    (i) => ({ ok: true, room: 'kitchen', on: true, seq: 4711 + i * i }),
  ],
  [
    'an event',
    'publish',
    { topic: 'orders', body: 'paid' },
    (i) => ({ messageId: `4123456${String(1_000_000_000 + i * 977)}`, accepted: true }),
  ],
  ['a memory', 'save_memory', { text: 'Likes tea.' }, (i) => `Memory saved (id mem_${mixed(i)}).`],
  [
    'a setting that is versioned',
    'set_flag',
    { name: 'fast', value: true },
    (i) => ({ ok: true, rev: 41 + i }),
  ],
];

describe('what is delivered again is a repetition whatever the number of its receipt', () => {
  it.each(deliveries)('%s', (...one: readonly unknown[]) => {
    expect(said(events(one as unknown as Case, 5))[0]).toMatch(/^tool-repeat opened chance [45]$/);
  });

  it('but not if it brings an answer', () => {
    const names = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Fi', 'Gus', 'Hal'];
    const answer = (i: number) => ({ ok: true, reply: `${names[i] ?? ''} takes part` });
    expect(said(events(['', 'send_message', { text: 'Who takes part?' }, answer], 8))).toEqual([]);
  });
});

it('an agent launched again and again does not wait', () => {
  const launched = (i: number) =>
    `Async agent launched successfully.\nagentId: a${hex(i)} (internal ID)\nThe agent is working in the background.`;
  expect(said(events(['', 'Agent', { prompt: 'Find the slow query.' }, launched], 6))[0]).toMatch(
    /^tool-repeat opened chance [34]$/,
  );
});
