import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call, text } from '../../sessions.ts';
import { type ShortStep, said, turns } from '../../steps.ts';

const offsets = [0, 3, -2, 5, 1, -4, 4, -1, 2, -3, 6, -5, 7, -6, 8];
const each = (one: (n: number, offset: number) => ShortStep, count = offsets.length) =>
  turns(...offsets.slice(0, count).map((offset, n) => one(n, offset)));
const other = (n: number): ShortStep => [
  'read_page',
  `page ${n} of the manual, with what it says there`,
  { page: n },
];

const clicks = (at: (n: number, offset: number) => number[], remark?: (n: number) => string): AgentEvent[] =>
  offsets.flatMap((offset, n) => [
    { type: 'turn_started' },
    ...(remark === undefined ? [] : [text(remark(n))]),
    call('computer', { action: 'left_click', coordinate: at(n, offset) }),
  ]);

describe('arguments that differ only in looks', () => {
  it.each([
    [
      'clicks beside each other',
      each((_, d) => [
        'mouse_click',
        `Left click at ${640 + d},${388 - d}: the dialog “Update” is still open.`,
        { x: 640 + d, y: 388 - d, button: 'left' },
      ]),
    ],
    [
      'taps at a point',
      each((_, d) => [
        'android_action',
        `tapped [${210 + d}, ${900 + d * 2}]; activity com.example/.Login, button Sign in greyed out`,
        { action: 'tap', point: [210 + d, 900 + d * 2] },
      ]),
    ],
    [
      'a step that only numbers the call',
      each((n) => ['portal', 'The login page is shown, with its form.', { step: n, action: 'press_login' }]),
    ],
    ['clicks whose results are unknown', clicks((_, d) => [400 + d, 300 - d])],
    [
      'coordinates as text',
      each((_, d) => [
        'computer',
        'Screenshot after the click: the page shows the same form, with an empty field “City”.',
        { action: 'left_click', coordinate: `${300 + d},${52 - d}` },
      ]),
    ],
    [
      'one element under other names',
      each((n) => [
        'browser_click',
        'Page state: title Checkout; the button Pay is covered by a banner.',
        { ref: 'e41', element: `${n % 2 === 0 ? 'the' : 'a'} Pay button ${'abcdefgh'.charAt(n % 8)}` },
      ]),
    ],
    [
      'one element under other numbers',
      each((_, d) => [
        'browser_click',
        'Page: sold out, notify me when it is available. Basket: 0 items.',
        { ref: `e${String(45 + d)}`, element: 'Add to basket' },
      ]),
    ],
    [
      'an element that is only numbered, and a page that stays',
      each((_, d) => [
        'click_element_by_index',
        `Clicked the button ${String(30 + d)}: Add to basket. Page: sold out, notify me when it is available.`,
        { index: 30 + d },
      ]),
    ],
    ['a number of the attempt', each((n) => ['save_profile', 'ok', { name: 'Ada', attempt: n + 1 }])],
    [
      'a parameter against caches',
      each((n) => [
        'http_get',
        'There is no data for this account: {"items":[]}',
        { url: `https://a.example/api?account=7&_=${1_793_000_000 + n * 811}` },
      ]),
    ],
    [
      'a comment in a command',
      each((n) => ['bash', 'check: 2 of 3 rules hold, see above', { command: `./check.sh # try ${n}` }]),
    ],
    [
      'a comment in a query',
      each((n) => ['sql', '(0 rows)', { q: `-- try ${n}\nselect * from stock where sku = 'A1'` }]),
    ],
    [
      'another comment in a query',
      each((n) => ['sql', '(0 rows)', { q: `/* try ${n} */ select * from stock where sku = 'A1'` }]),
    ],
    [
      'a label that is printed',
      each((n) => ['bash', `try ${n}\nnothing has come in`, { command: `echo "try ${n}"; cat inbox.txt` }]),
    ],
    [
      'a nonce',
      each((n) => [
        'get_balance',
        '{"currency":"EUR","amount":12.5}',
        { account: 'main', nonce: `k${n * 7919}x` },
      ]),
    ],
    [
      'a reason in other words',
      each((n) => [
        'get_balance',
        'The balance of account A1 is twenty euros; nothing is due, and no payment is under review.',
        {
          account: 'A1',
          reasoning: `I look ${['again', 'once more', 'a last time'][n % 3] ?? ''} (${n * 7919})`,
        },
      ]),
    ],
    ['a request id', each((n) => ['send_code', 'sent', { to: 'ada@example.org', request_id: 70_000 + n }])],
    [
      'the trace of a request, and its time',
      each((n, d) => [
        'stock_level',
        '{"sku":"A-7","level":"unknown to this warehouse"}',
        { sku: 'A-7', traceId: `t${n * 7919}`, timestamp: 1_793_000_000 + 60 * n + d },
      ]),
    ],
    [
      'other delays',
      each((_, d) => ['press_key', 'The focus is on the field “Name”.', { key: 'Tab', delay_ms: 100 + d }]),
    ],
  ])('are a loop: %s', (_, events) => {
    expect(said(events).filter((line) => / opened /.test(line))).toEqual([
      expect.stringMatching(/^(?:stagnation|tool-repeat)/),
    ]);
  });

  it.each([
    ['steps that are taken one after another', each((n) => ['advance', 'done', { step: n, plan: 'a' }])],
    ['a slider that is dragged', each((n) => ['mouse_click', 'clicked', { x: 300 + n, y: 388 }])],
    ['unknown results of clicks further and further', clicks((n) => [400 + 12 * n, 300])],
    [
      'clicks after each of which the agent sees something else',
      clicks(
        (_, d) => [400 + d, 300],
        (n) => `Month ${'abcdefghijklmno'.charAt(n)} is shown.`,
      ),
    ],
    [
      'cells of a grid',
      each((n) => ['mouse_click', 'clicked', { x: 100 + (n % 5) * 40, y: 100 + Math.floor(n / 5) * 40 }]),
    ],
    ['pixels that are drawn', each((n) => ['draw_pixel', 'ok', { x: n % 4, y: Math.floor(n / 4) }])],
    [
      'clicks with another effect each',
      each((n, d) => ['mouse_click', `The counter shows ${3 * n + 1} of 900.`, { x: 640 + d, y: 388 - d }]),
    ],
    [
      'thoughts that a tool writes down',
      each((n) => [
        'think',
        'Your thought has been logged.',
        { thought: `option ${n * 7919}`, about: 'plan' },
      ]),
    ],
    ['records by number', each((n) => ['delete_record', 'deleted', { id: 4100 + n }])],
    [
      'comments on one ticket',
      each((n) => [
        'add_comment',
        'ok',
        { ticket: 'A-1', comment: `finding ${'abcdefghijklmno'.charAt(n)}: see there` },
      ]),
    ],
    [
      'a time that a link asks for',
      each((n) => [
        'request',
        'The load of this hour was low, as it was the hour before.',
        { url: `https://a.example/load?ts=${1_793_000_000 + n * 3600}` },
      ]),
    ],
    ['mails moved', each((n) => ['mail_move', 'ok', { messageId: `m${n * 7919}`, folder: 'Taxes' }])],
    ['requests approved', each((n) => ['approve', 'ok', { request_id: 307 + n, by: 'Ada' }])],
    [
      'traces looked up',
      each((n) => ['get_trace', '{"spans":[]}', { project: 'shop', trace_id: `t${n * 7919}` }]),
    ],
    [
      'messages marked by their time',
      each((n) => [
        'reactions_add',
        '{"ok":true}',
        { channel: 'C1', timestamp: `${1_793_000_000 + n * 97}.000000`, name: 'eyes' },
      ]),
    ],
    [
      'rates of days',
      each((n) => [
        'rate_of_day',
        'The rate was pegged at 3.6725 for the whole day, as on the day before.',
        { pair: 'USDAED', timestamp: 1_793_000_000 + n * 86_400 },
      ]),
    ],
    ['attempts graded', each((n) => ['grade_attempt', 'The attempt got full marks.', { attempt: n + 1 }])],
    ['files that are written', each((n) => ['bash', '', { command: `echo "part ${n}" >> out.txt; sync` }])],
    [
      'options behind two dashes',
      each((n) => ['bash', 'all tests passed', { command: `npm test -- part${n}.test.ts` }]),
    ],
    ['boxes ticked by number', each((n) => ['click', 'Clicked the box.', { index: 12 + 3 * n }])],
    [
      'elements with other names',
      each((n) => [
        'browser_click',
        'Page: 15 boxes, all of which can be ticked; Save is at the end.',
        { ref: `e${String(45 + n)}`, element: `Box ${'abcdefghijklmno'.charAt(n)}` },
      ]),
    ],
    ['items by index', each((n) => ['process_item', 'ok', { list: 'orders', index: n }])],
    ['three attempts', each((n) => ['save_profile', 'ok', { name: 'Ada', attempt: n + 1 }], 2)],
    [
      'attempts with other steps in between',
      turns(
        ...offsets.flatMap((_, n): ShortStep[] => [
          ['save_profile', 'ok', { name: `Ada ${'abcdefghijklmno'.charAt(n)}`, attempt: n + 1 }],
          other(n),
        ]),
      ),
    ],
  ])('are no loop: %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });
});
