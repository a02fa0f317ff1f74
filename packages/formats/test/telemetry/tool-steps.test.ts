import type { AgentEvent } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { withToolSteps } from '../../src/telemetry/tool-steps.ts';
import { outline } from '../read-all.ts';

const call = (callId: string): AgentEvent => ({
  type: 'tool_call_request',
  sessionId: 's',
  id: `call:${callId}`,
  callId,
  name: callId,
});
const result = (callId: string): AgentEvent => ({
  type: 'tool_result',
  sessionId: 's',
  callId,
  result: callId,
});
const turn: AgentEvent = { type: 'turn_started', sessionId: 's' };

it.each<[string, AgentEvent[], string[]]>([
  [
    'one step if they overlap',
    [call('a'), call('b'), result('a'), result('b'), call('c'), result('c')],
    ['turn', 'a', 'b', 'turn', 'c'],
  ],
  [
    'steps of their own within another that contains them',
    [call('a'), call('b'), result('b'), call('c'), result('c'), result('a')],
    ['turn', 'a', 'b', 'turn', 'c'],
  ],
  ['left as they are if none overlap', [call('a'), result('a'), call('b'), result('b')], ['a', 'b']],
  ['left as they are without results', [call('a'), call('b'), call('c')], ['a', 'b', 'c']],
  [
    'left as they are if the session has turns',
    [turn, call('a'), call('b'), result('a')],
    ['turn', 'a', 'b'],
  ],
])('the calls of tools alone are %s', (_, events, expected) => {
  const steps = withToolSteps(events).filter(({ type }) => type !== 'tool_result');
  expect(outline(steps).map((one) => one.replace('tool_call_request ', '').replace('_started', ''))).toEqual(
    expected,
  );
});
