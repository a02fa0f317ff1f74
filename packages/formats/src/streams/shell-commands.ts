import { type JsonObject, listOf, nameOf, numberOf, objectOf } from '../record/json.ts';
import type { Message, ToolResult } from '../record/message.ts';
import { readMessage } from '../wire/messages.ts';
import { chatUsage } from '../wire/openai-chat.ts';

/** The command in a response of mini-swe-agent, by the patterns of its configurations. */
const fenced = /```(?:bash|mswea_bash_command)[^\S\n]*\n([\s\S]*?)\n```/;
/** How it shows what a command printed. */
const observation = /^\s*<returncode>(-?\d+)<\/returncode>/;
const timeout = /timed out and has been killed/;

/** Whether a list of messages is of mini-swe-agent, whose prompts show what the commands of the responses printed. */
export function hasCommandResults(list: readonly unknown[]): boolean {
  return list.some((value) => observation.test(nameOf(objectOf(value)['content'])));
}

/**
 * Reads such a list, message by message: what follows a command is its result, and only the first prompt is the user's. Source:
 * `minisweagent/agents/default.py` 1; version 2 calls a tool instead.
 */
export function commandReader(): (value: unknown) => readonly Message[] {
  let isWaiting = false;
  let hasPrompt = false;
  return (value) =>
    readMessage(value).map((message) => {
      if (message.role === 'tool') return { ...message, results: message.results.map(withExitCode) };
      if (message.role === 'assistant') {
        const command = message.calls.length > 0 ? undefined : fenced.exec(message.text ?? '')?.[1];
        isWaiting = command !== undefined;
        const calls = command === undefined ? message.calls : [{ id: null, name: 'bash', args: { command } }];
        return { ...message, calls, ...costIn(objectOf(value)) };
      }
      if (message.role !== 'user') return message;
      if (isWaiting) {
        isWaiting = false;
        return { role: 'tool', results: [withExitCode({ id: null, result: message.text })] };
      }
      if (hasPrompt) return { ...message, origin: 'harness' };
      hasPrompt = true;
      return message;
    });
}

function withExitCode(result: ToolResult): ToolResult {
  const text = nameOf(result.result);
  const code = numberOf(observation.exec(text)?.[1]) ?? 0;
  return { ...result, isError: code !== 0 || timeout.test(text) ? true : undefined };
}

function costIn({ extra }: JsonObject): Pick<Extract<Message, { role: 'assistant' }>, 'usage' | 'costUsd'> {
  const { response, cost } = objectOf(extra);
  return { usage: chatUsage(objectOf(response)['usage']), costUsd: numberOf(cost) };
}

/** Whether a record is a trajectory of mini-swe-agent (`*.traj.json`). */
export function isCommandTrajectory({ info, messages, trajectory_format: format }: JsonObject): boolean {
  const isNamed = nameOf(format).startsWith('mini-swe-agent') || 'mini_version' in objectOf(info);
  return isNamed && listOf(messages).length > 0;
}
