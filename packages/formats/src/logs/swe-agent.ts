import { isObject, type JsonObject, joinedText, listOf, objectOf, textOf } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { messageLog } from './message-log.ts';

/**
 * SWE-agent: a trajectory (`trajectories/**` + `/*.traj`), one document with the steps of a run. Each step is a command and what it
 * printed. Source: https://swe-agent.com/latest/usage/trajectories.
 */
export const sweAgent = messageLog({
  name: 'swe-agent',
  title: 'a trajectory of SWE-agent',
  agent: 'swe-agent',
  keys: ['trajectory', 'history', 'info', 'environment'],
  recognizes: (record) => isStep(objectOf(listOf(record['trajectory'])[0])),
  recordsIn: (record) => {
    const prompt = listOf(record['history']).find((message) => objectOf(message)['role'] === 'user');
    const steps = listOf(record['trajectory']).filter(isObject);
    return prompt === undefined ? steps : [objectOf(prompt), ...steps];
  },
  read: (record) => ({
    type: isStep(record) ? 'step' : 'message',
    messages: isStep(record) ? messagesOf(record) : [{ role: 'user', text: joinedText(record['content']) }],
  }),
});

function isStep(record: JsonObject): boolean {
  return typeof record['action'] === 'string' && 'observation' in record;
}

function messagesOf({ thought, action, observation }: JsonObject): Message[] {
  const command = textOf(action);
  const text = textOf(thought);
  // The model answered without a command.
  if (command === undefined) return [{ role: 'assistant', text, calls: [] }];
  return [
    { role: 'assistant', text, calls: [{ id: null, name: 'bash', args: { command } }] },
    { role: 'tool', results: [{ id: null, result: observation ?? '' }] },
  ];
}
