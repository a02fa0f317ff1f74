/** The groups of operations: what each is about, and the first segments of its paths. */
const tags = {
  Events: { description: 'Send events of agents.', paths: ['events'] },
  Guard: { description: 'Ask whether a call may run.', paths: ['decide', 'hooks'] },
  Sessions: { description: 'Read sessions, stop them, and follow their verdicts.', paths: ['sessions'] },
  Incidents: {
    description: 'Read and triage loops.',
    paths: ['incidents', 'incident-groups', 'mutes', 'verdicts'],
  },
  Statistics: {
    description: 'Counts and costs of a time range.',
    paths: ['stats', 'overview', 'budgets', 'deploys', 'reports'],
  },
  Settings: { description: 'Change detection without a restart.', paths: ['settings'] },
  Backtests: { description: 'Run recorded sessions with other settings.', paths: ['backtests', 'exports'] },
  Notifications: { description: 'Tell people about loops.', paths: ['notifications'] },
  Samples: { description: 'Play sample sessions.', paths: ['samples'] },
  Administration: {
    description: 'See who changed what, create and revoke tokens.',
    paths: ['audit', 'tokens'],
  },
  Login: { description: 'Log in and out.', paths: ['auth'] },
  Server: {
    description: 'Health, metrics, and this document.',
    paths: ['status', 'openapi.json', 'healthz', 'readyz', 'metrics'],
  },
} as const;

/** For the document. */
export const describedTags = Object.entries(tags).map(([name, { description }]) => ({ name, description }));

const tagOfSegment: ReadonlyMap<string, string> = new Map(
  Object.entries(tags).flatMap(([name, { paths }]) => paths.map((segment) => [segment, name] as const)),
);

/** @throws Error for a path of no tag */
export function tagOf(path: string): string {
  const tag = tagOfSegment.get(path.split('/')[1] ?? '');
  if (tag === undefined) throw new Error(`${path} has no tag`);
  return tag;
}
