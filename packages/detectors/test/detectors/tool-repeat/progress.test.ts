import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';
import { type Case, events, hex, low, mixed } from './changing-results.ts';

const uuid = (i: number) => `${hex(i, 8)}-${hex(i, 4)}-4abc-9abc-${hex(i + 7)}`;

const healthy: readonly Case[] = [
  ['fewer lines', 'tmux_send', { keys: 'dd' }, (i) => `"a.txt" line 1 of ${String(39 - i)} --top--`],
  ['UUIDs', 'Bash', { command: 'uuidgen' }, uuid],
  ['folders of mktemp', 'Bash', { command: 'mktemp -d' }, (i) => `/tmp/tmp.${mixed(i, 10)}`],
  ['temporary files', 'create_temp_file', {}, (i) => ({ path: `/tmp/tmp${low(i)}.csv` })],
  [
    'UUIDs with words',
    'new_session',
    {},
    (i) => `The session was opened under the name ${uuid(i)} for an hour.`,
  ],
  [
    'what a request creates',
    'http_request',
    { method: 'POST', url: 'https://a.example/vouchers' },
    (i) => ({ object: 'voucher', value: mixed(i), used: 'never', for: 'any customer of the shop' }),
  ],
  [
    'whatever is newest',
    'get_block',
    { number: 'latest' },
    (i) => ({
      hash: `0x${hex(i, 64)}`,
      parent: `0x${hex(i + 9, 64)}`,
      miner: 'pool one',
      size: 'normal',
      final: true,
    }),
  ],
  [
    'one row after another that cannot be moved',
    'migrate_rows',
    {},
    (i) => `Error: row ${String(120 + i * 37)} has no owner and was left where it is`,
    true,
  ],
  [
    'fewer failures in an error',
    'run_suite',
    { name: 'all' },
    (i) => `the suite is red: ${String(90 - i)} checks of it do not hold`,
    true,
  ],
  [
    'a setting that is being reached',
    'set_valve',
    { open: 90 },
    (i) => ({ ok: true, valve: 'north', position: 812 + i * 370 }),
  ],
  [
    'drawings of dots',
    'plot_load',
    { width: 8 },
    (i) => `load of the machine ${'⣀⣤⣶⣿'.slice(i % 3)}${'⣿⣶⣤⣀'.slice(i % 4)} per minute, as asked`,
  ],
  [
    'a drawn number',
    'Bash',
    { command: 'shuf -i 1-100000 -n 1' },
    (i) => String(12_345 + ((i * 7919) % 80_000)),
  ],
  [
    'a generated key',
    'generate_key',
    { size: 32 },
    (i) => `A fresh key was generated for you and stored safely: ${mixed(i, 32)}`,
  ],
  [
    'a ticket',
    'draw_ticket',
    {},
    (i) => `You have drawn the ticket ${low(i, 6)}, please wait until it is called.`,
  ],
  [
    'a ticket of a neutral tool',
    'counter',
    { hall: 'b' },
    (i) => `Your ticket is ${low(i, 6)}; take a seat in hall b and wait.`,
  ],
  [
    'the next task',
    'queue',
    { op: 'next' },
    (i) => ({ task: `t_${hex(i)}`, kind: 'resize', priority: 'high' }),
  ],
  [
    'the next task in words',
    'work_queue',
    {},
    (i) => `The next task for this worker is ${hex(i)}, resize the picture to half its size.`,
  ],
  [
    'a page after a page',
    'list_events',
    {},
    (i) => ({
      events: [`a ${low(i)}`, `b ${low(i + 90)}`, `c ${low(i + 190)}`, `d ${low(i + 290)}`],
      more: true,
    }),
  ],
  [
    'a cursor',
    'list_orders',
    {},
    (i) => ({ message: 'some orders were left out of this answer', next_cursor: mixed(i, 24) }),
  ],
  ['a new head of a branch', 'Bash', { command: 'git rev-parse origin/main' }, (i) => hex(i, 40)],
  [
    'a commit that lands',
    'latest_commit',
    { branch: 'main' },
    (i) => `The latest commit of the branch main is ${hex(i, 40)} by the bot that merges.`,
  ],
  [
    'a price',
    'quote',
    { symbol: 'B' },
    (i) => `B trades at ${(41 + ((i * 37) % 101) / 70).toFixed(3)} on the exchange in Rome now.`,
  ],
  [
    'a falling quantity',
    'Bash',
    { command: 'drain' },
    (i) => `${String(98_000 - i * 1771)} rows of the old table are left to move to the new one`,
  ],
  [
    'a falling quantity in an error',
    'migrate',
    { step: 'all' },
    (i) => `not done: ${String(98_000 - i * 1771)} rows still have the old form`,
    true,
  ],
  [
    'a rising quantity with a goal',
    'pay_in',
    { amount: 'all' },
    (i) => `refused: total 1${String(1000 + i * 150)} is below the 18000 that are due`,
    true,
  ],
  [
    'a growing download',
    'Bash',
    { command: 'du -sh model.bin' },
    (i) => `${String(412 + i * 55)} MB of the model are on the disk of this machine so far`,
  ],
  [
    'a countdown in a frame',
    'step',
    {},
    (i) => `one more item was worked off by the machine\n[${String(60 - i)} to go]`,
  ],
  [
    'a rate',
    'read_metric',
    { name: 'rps' },
    (i) => `the service answers ${String(1000 + ((i * 389) % 700))} requests a second at the moment`,
  ],
  [
    'the pieces of a puzzle in another order',
    'act',
    { action: 'left' },
    (i) => Array.from({ length: 28 }, (_, n) => ((n + 1) * (i + 1)) % 29).join(' '),
  ],
  ['a temperature', 'sensor', {}, (i) => ({ celsius: 20 + ((i * 37) % 101) / 10 })],
];

describe('the same call is progress if its result brings', () => {
  it.each(healthy)('%s', (...one: readonly unknown[]) => {
    expect(said(events(one as unknown as Case, 25))).toEqual([]);
  });
});
