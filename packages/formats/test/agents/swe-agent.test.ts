import { createSessionAnalyzer } from '@loopwatch/detectors';
import { expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

/** A run as https://swe-agent.com/latest/usage/trajectories documents it. */
const trajectory = (steps: readonly (readonly [action: string, observation: string])[]) => ({
  environment: 'swe_main',
  trajectory: steps.map(([action, observation], n) => ({
    action,
    observation,
    response: `I look.\n\n\`\`\`\n${action}\n\`\`\``,
    thought: 'I look.',
    state: { open_file: 'n/a', working_dir: '/repo' },
    query: [{ role: 'system', content: 'You are a helpful assistant.' }],
    execution_time: 0.1 * n,
  })),
  history: [
    { role: 'system', content: 'You are a helpful assistant.', agent: 'main' },
    { role: 'user', content: [{ type: 'text', text: 'Fix the field' }], agent: 'main' },
  ],
  info: { exit_status: 'exit_cost', model_stats: { instance_cost: 3.1, tokens_sent: 9, api_calls: 4 } },
});

it('swe-agent: reads each step as a command and what it printed, after the request', () => {
  const { events, ignored } = readAll('auto', [
    trajectory([
      ['ls -F\n', 'AUTHORS.rst'],
      ['', 'No command'],
    ]),
  ]);
  expect(outline(events)).toEqual([
    'prompt_started Fix the field',
    'turn_started',
    'content I look.',
    'tool_call_request bash',
    'turn_finished',
    'tool_result AUTHORS.rst',
    'turn_started',
    'content I look.',
    'turn_finished',
  ]);
  expect(events).toMatchObject(
    Array.from({ length: events.length }, () => ({ sessionId: 'file', agent: 'swe-agent' })),
  );
  expect(ignored).toEqual([]);
});

it('swe-agent: a loop is found at the third identical command, and a healthy run is quiet', () => {
  const opened = (steps: Parameters<typeof trajectory>[0]) => {
    const analyzer = createSessionAnalyzer();
    const { events } = readAll('swe-agent', [trajectory(steps)]);
    return events.flatMap((event) => analyzer.push(event)).filter(({ phase }) => phase === 'opened');
  };
  const again = ['python reproduce.py\n', 'AttributeError: no attribute'] as const;
  expect(opened([again, again, again])).toMatchObject([{ detector: 'tool-repeat', count: 3 }]);
  const files = ['a', 'b', 'c', 'd', 'e', 'f'].map(
    (file) => [`cat ${file}.py\n`, `# the text of ${file}`] as const,
  );
  expect(opened(files)).toEqual([]);
});
