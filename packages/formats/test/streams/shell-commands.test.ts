import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

/** Messages as mini-swe-agent writes them: `minisweagent/agents/default.py`, `config/mini.yaml`. */
const command = (text: string) => ({
  role: 'assistant',
  content: `THOUGHT: I look.\n\n\`\`\`bash\n${text}\n\`\`\``,
  extra: { response: { usage: { prompt_tokens: 80, completion_tokens: 8 } } },
  timestamp: 1_791_792_004,
});
const printed = (code: number, output: string) => ({
  role: 'user',
  content: `<returncode>${String(code)}</returncode>\n<output>\n${output}\n</output>`,
});
const user = (content: string) => ({ role: 'user', content });
const trajectory = (messages: object[]) => ({
  info: { exit_status: 'Submitted', mini_version: '1.14', config: {} },
  messages: [{ role: 'system', content: 'You help.' }, user('Fix it.'), ...messages],
  trajectory_format: 'mini-swe-agent-1',
});

describe('mini-swe-agent', () => {
  it.each([
    ['a trajectory', (messages: object[]) => trajectory(messages)],
    ['a list of messages', (messages: object[]) => trajectory(messages).messages],
  ])('has commands and what they printed in %s', (_, of) => {
    const { events } = readAll('auto', [of([command('ls -F'), printed(2, 'no such file')])]);
    expect(outline(events)).toEqual([
      'prompt_started Fix it.',
      'turn_started',
      expect.stringContaining('content THOUGHT'),
      'tool_call_request bash',
      'turn_finished',
      'tool_result <returncode>2</returncode>\n<output>\nno such file\n</output>',
    ]);
    expect(events[3]).toMatchObject({ args: { command: 'ls -F' }, time: 1_791_792_004_000 });
    expect(events[4]).toMatchObject({ usage: { inputTokens: 80, outputTokens: 8 } });
    expect(events[5]).toMatchObject({ isError: true });
  });

  it('takes what follows a command for its result, and a complaint about the form for no prompt of the user', () => {
    const { events } = readAll('auto', [
      trajectory([
        command('sleep 99'),
        user('The last command <command>sleep 99</command> timed out and has been killed.'),
        { role: 'assistant', content: 'Done.' },
        user('Please always provide EXACTLY ONE action in triple backticks.'),
        command('ls'),
        printed(0, 'a'),
      ]),
    ]);
    const results = events.filter(({ type }) => type === 'tool_result');
    expect(results.map(({ isError }) => isError)).toEqual([true, undefined]);
    const prompts = events.filter(({ type }) => type === 'prompt_started');
    expect(prompts.map(({ origin }) => origin)).toEqual([undefined, 'harness']);
  });

  it('is a loop if a command and its output repeat', () => {
    const steps = (name: (i: number) => string) =>
      [0, 1, 2, 3].flatMap((i) => [command(`cat ${name(i)}`), printed(0, `text of ${name(i)}`)]);
    const detectors = (messages: object[]) => {
      const analyzer = createSessionAnalyzer();
      const { events } = readAll('auto', [trajectory(messages)]);
      return events.flatMap((event) => analyzer.push(event)).map(({ detector }) => detector);
    };
    expect(detectors(steps(() => 'a'))[0]).toBe('tool-repeat');
    expect(detectors(steps((i) => `file-${String(i)}`))).toEqual([]);
  });
});
