import type { AgentEvent } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { call, run, text } from '../../sessions.ts';
import { said } from '../../steps.ts';

type Step = readonly [
  name: string,
  args: Record<string, unknown>,
  remark?: string | undefined,
  result?: unknown,
];

const news = (
  'soil seeds frost water tools pests light pots roots mulch compost shade pruning harvest storage ' +
  'paths fences gates lamps benches'
)
  .split(' ')
  .map((word) => `The part on ${word} is on screen now.`);

function session(steps: readonly Step[]): AgentEvent[] {
  return steps.flatMap(([name, args, remark, result]): AgentEvent[] => [
    { type: 'turn_started' },
    ...(remark === undefined ? [] : [text(remark)]),
    call(name, args),
    { type: 'turn_finished' },
    ...(result === undefined ? [] : [{ type: 'tool_result' as const, result }]),
  ]);
}
const times = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const opened = (steps: readonly Step[]) => said(session(steps)).filter((line) => line.includes(' opened '));

const ways: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['scroll', { delta_y: 600 }],
  ['page_down', {}],
  ['press', { key: 'PageDown' }],
  ['nextPage', {}],
  ['increment', { field: 'guests' }],
  ['load_more', {}],
  ['hscroll', { dx: 300 }],
  ['pgdn', {}],
  ['slider', { step: 1 }],
  ['ui', { op: 'wheel', amount: -10 }],
  ['click', { x: 1241, y: 448 }],
  ['computer', { action: 'scroll', scroll_direction: 'down' }],
  ['computer', { action: 'key', text: 'Page_Down' }],
  ['browser_action', { action: 'scroll_down' }],
  ['mouse_wheel', { delta: -3 }],
  ['fling', { direction: 'down' }],
  ['page', { direction: 'forward' }],
  ['type_keys', { keys: '{PGDN}' }],
  ['browser_evaluate', { function: '() => window.scrollBy(0, 600)' }],
  ['bash', { command: 'adb shell input swipe 500 1500 500 500' }],
  ['go', { direction: 'north' }],
  ['robot_move', { forward: 1 }],
  ['remote_control', { button: 'DPAD_DOWN' }],
  ['hotkey', { keys: ['ctrl', 'z'] }],
];

it.each(ways)('navigation: %s %o is no loop while each step tells of something new', (name, args) => {
  expect(opened(times(20, (i) => [name, args, news[i]]))).toEqual([]);
});

it.each(ways)(
  'navigation: %s %o without a word is a loop only at three times the threshold',
  (name, args) => {
    expect(opened(times(20, () => [name, args]))).toEqual(['tool-repeat opened chance 12']);
  },
);

it.each([
  'The page did not move. I scroll again.',
  "Nothing has changed; it doesn't scroll.",
  'Still the same page.',
  'The button does nothing. I press it again.',
])('navigation: is a loop at the threshold if the agent notes that it has no effect: %s', (remark) => {
  expect(opened(times(6, () => ['scroll', { delta_y: 600 }, remark]))).toEqual([
    'tool-repeat opened chance 4',
  ]);
});

it.each<{ what: string; steps: readonly Step[]; expected: string[] }>([
  {
    what: 'counts lookups whose results are unknown, whatever the agent tells',
    steps: times(5, (i) => ['list_outbox', {}, news[i]]),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'counts from the last news',
    steps: [
      ...times(8, (i): Step => ['scroll', {}, news[i]]),
      ...times(5, (i): Step => ['scroll', {}, `Still the same page, look ${'abcde'[i] ?? ''}.`]),
    ],
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'treats a bare receipt like no result',
    steps: times(20, (i) => ['scroll', {}, news[i], 'Scrolled down.']),
    expected: [],
  },
  ...[
    '[image]',
    'Screenshot taken.',
    'Screenshot captured (1280x800)',
    'Pressed the key Down.\n[image]',
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '<omitted>' } }],
    { base64_image: '[omitted]', error: null, output: '' },
  ].flatMap((picture) => [
    {
      what: `lets the agent tell what is in ${JSON.stringify(picture)}`,
      steps: times(20, (i): Step => ['scroll', {}, news[i], picture]),
      expected: [],
    },
    {
      what: `is patient without a word on ${JSON.stringify(picture)}`,
      steps: times(12, (): Step => ['computer', { action: 'key', text: 'Down' }, undefined, picture]),
      expected: ['tool-repeat opened chance 9'],
    },
  ]),
  ...[
    ['swipe', { direction: 'left' }, 'Swiped left'],
    ['press_key', { key: 'PageDown' }, 'Pressed key: PageDown'],
    ['turn_page', {}, 'Turned the page'],
    ['zoom_in', {}, 'Zoomed in'],
    ['rewind', {}, 'Rewound'],
    ['next_slide', {}, 'Slide changed'],
    ['drone_fly', { direction: 'north', meters: 20 }, 'Command accepted'],
    [
      'browser_run_code',
      { code: 'async (page) => { await page.mouse.wheel(0, 600); }' },
      '### Result\nundefined\n### Ran Playwright code\n```js\nawait page.mouse.wheel(0, 600);\n```',
    ],
    [
      'browser_press_key',
      { key: 'PageDown' },
      "### Ran Playwright code\n```js\n// Press PageDown\nawait page.keyboard.press('PageDown');\n```",
    ],
    [
      'evaluate_script',
      { function: '() => window.scrollBy(0, 800)' },
      '# evaluate_script response\nScript ran on page and returned:\n```json\nnull\n```',
    ],
    ['puppeteer_evaluate', { script: 'window.scrollBy(0, 800)' }, 'undefined\n\nConsole output:\n'],
  ].map(([name, args, receipt]) => ({
    what: `lets the agent tell what follows ${JSON.stringify(receipt)}`,
    steps: times(20, (i) => [name, args, news[i], receipt] as Step),
    expected: [],
  })),
  {
    what: 'a page in Chinese is a known result',
    steps: times(6, (i) => ['scroll', {}, news[i], '版权所有 联系我们']),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'what was not moved is a known result',
    steps: times(6, (i) => ['next_slide', {}, news[i], 'The slide was not changed']),
    expected: ['tool-repeat opened chance 3'],
  },
  {
    what: 'code that was run, with the page that it led to, is a known result',
    steps: times(6, (i) => [
      'press_key',
      { key: 'PageDown' },
      news[i],
      "### Ran Playwright code\n```js\nawait page.keyboard.press('PageDown');\n```\n### Page\n- Page Title: Imprint",
    ]),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'lets the agent tell what it sees between pictures',
    steps: times(20, (i): Step[] => [
      ['scroll', {}, news[i], 'ok'],
      ['screenshot', {}, undefined, '[image]'],
    ]).flat(),
    expected: [],
  },
  {
    what: 'is patient without a word between pictures',
    steps: times(20, (): Step[] => [
      ['scroll', {}, undefined, 'ok'],
      ['screenshot', {}, undefined, '[image]'],
    ]).flat(),
    expected: ['tool-cycle opened chance 9 period 2'],
  },
  {
    what: 'a page that is known to be the same is a loop, whatever the agent says',
    steps: times(6, (i) => ['scroll', {}, news[i], 'Page 4 of 4. Imprint, contact and terms of use.']),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'a receipt that goes on to tell what is shown is a known result',
    steps: times(6, () => ['scroll', {}, undefined, 'Scrolled. Visible: the imprint of the shop.']),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'a failure is a loop, whatever the agent says',
    steps: times(4, (i) => ['scroll', {}, news[i], 'Error: the element is detached']),
    expected: ['tool-repeat opened chance 3'],
  },
  {
    what: 'a move of something else is a loop, whatever the agent says',
    steps: times(6, (i) => ['move_file', { from: 'a', to: 'b' }, news[i]]),
    expected: ['tool-repeat opened chance 4'],
  },
  {
    what: 'a call that does not navigate is a loop, whatever the agent says',
    steps: times(6, (i) => ['read_file', { path: 'a' }, news[i]]),
    expected: ['tool-repeat opened chance 4'],
  },
])('navigation: $what', ({ steps, expected }) => {
  expect(opened(steps)).toEqual(expected);
});

it('navigation: the guidance does not ask to stop', () => {
  const [verdict] = run(session(times(12, () => ['scroll', {}])), { preset: 'balanced' });
  expect(verdict?.guidance).toContain('If each call shows something new, say what, and continue.');
  expect(verdict?.guidance).not.toContain('in text');
  expect(verdict?.thresholdOrigin?.adjustments).toEqual(['navigation']);
});
