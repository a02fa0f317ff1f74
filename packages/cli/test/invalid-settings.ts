/** Settings that an older version or another program may have stored. */
const settings = {
  'privacy.mask': ['(a+)+$'],
  'tool_cycle.max_period': 900,
  'no.such.key': 1,
  'tool_call_loop.max_repeats': 3,
};
export const invalidSettings: readonly (readonly [key: string, value: string])[] = [
  ['server', JSON.stringify({ v: 1, scope: 'server', set: settings })],
  [
    'model:openai/gpt-5',
    JSON.stringify({ scope: 'model:openai/gpt-5', set: { 'outage.min_failures': 'x' } }),
  ],
  ['model:', JSON.stringify({ scope: 'model:', set: {} })],
  ['session:s-1', JSON.stringify({ scope: 'session:s-1', set: { 'privacy.mask': ['('] } })],
  ['rubbish', '\u0000 no JSON'],
];

/** The warning that a process logs once. */
export const warning =
  /Of the settings of server, privacy\.mask, tool_cycle\.max_period, no\.such\.key cannot be taken and are left out: .*LOOPWATCH_PRIVACY_MASK.*To remove them, save the scope/;
