import type { DetectorId } from './detectors.ts';
import type { EvidenceOf } from './evidence.ts';

/** What a title is made from. The names of tools are masked and bounded already. */
export interface TitledFinding<D extends DetectorId = DetectorId> {
  readonly detector: D;
  readonly tool: { readonly name: string } | null;
  readonly count: number;
  /** May lack fields: a resolved verdict omits some, and another version may write others. */
  readonly evidence?: Partial<EvidenceOf<D>> | undefined;
}

/** Names of a cycle's tools in a title; more are counted. */
const MAX_NAMES = 3;
const TIMES = ' ×';

const resultPhrases = {
  same: ', same result',
  alike: ', nearly the same result',
  different: ', different results',
  unknown: '',
} as const;

type Rule = NonNullable<EvidenceOf<'stagnation'>['rule']>;

/**
 * By rule: the subject if no single tool is concerned, what is wrong, and whether it is about what several tools did; then the
 * tool of the latest step says little.
 */
const rulePhrases: Readonly<Record<Rule, readonly [subject: string, phrase: string, ofSteps?: true]>> = {
  'same-error': ['Failing call', 'same error'],
  'same-failure': ['Failing call', 'fails the same way'],
  'same-result': ['Call', 'same result'],
  'same-answer': ['Queries', 'same answer'],
  'known-answers': ['Calls', 'known answers'],
  handoffs: ['Handoffs', 'no progress', true],
  'same-prompt': ['Same prompt', 'no progress', true],
  'same-message': ['Same message', 'no progress', true],
  'nothing-new': ['Steps', 'nothing new', true],
};

const makers: { readonly [D in DetectorId]: (finding: TitledFinding<D>) => string } = {
  'tool-repeat': ({ tool, count, evidence }) => {
    const several = evidence?.callsPerStep;
    const subject = several === undefined ? (tool?.name ?? 'Call') : `${String(several)} calls`;
    if (evidence?.matching === 'similar') return `${times(subject, count)}, similar arguments`;
    return times(subject, count) + resultPhrases[evidence?.results ?? 'unknown'];
  },
  'tool-cycle': ({ count, evidence }) => {
    const names = (evidence?.cycle ?? []).map(({ name }) => name);
    return times(cycleOf(names), count) + resultPhrases[evidence?.results ?? 'unknown'];
  },
  stagnation: ({ tool, count, evidence }) => {
    const rule = evidence?.rule;
    const known = rule === undefined ? undefined : rulePhrases[rule];
    if (rule === undefined || known === undefined) return `${times('Steps', count)}, no progress`;
    const [subject, phrase, ofSteps = false] = known;
    return `${times(ofSteps ? subject : (tool?.name ?? subject), count)}, ${phrase}`;
  },
  'content-repeat': ({ count }) => times('Same text', count),
  'thought-repeat': ({ count }) => times('Same reasoning', count),
  semantic: ({ evidence }) => {
    const shown = evidence?.shown;
    return shown === undefined
      ? 'No progress'
      : `No progress in turns ${String(shown.from)} to ${String(shown.to)}`;
  },
  'tool-limit': () => 'Tool call limit reached',
  'turn-limit': () => 'Model request limit reached',
  outage: ({ tool, count }) => `${times(tool?.name ?? 'Call', count)}, outage`,
  budget: ({ count, evidence }) => {
    const resource = evidence?.uses?.[0]?.resource ?? '';
    if (resource.startsWith('sub_agent')) return 'Sub-agent limit reached';
    const subject = `${scopeNames[evidence?.per ?? 'session']} budget`;
    return count >= 100 ? `${subject} used up` : `${subject} almost used up`;
  },
};

const scopeNames = { session: 'Session', agent: 'Agent', tenant: 'Tenant', day: 'Daily' } as const;

/** What was found, short enough for a list: no arguments, the count after the last `×`. */
export function incidentTitle<D extends DetectorId>(finding: TitledFinding<D>): string {
  return makers[finding.detector](finding);
}

/** The title with the current count, which grows after the title was written. */
export function titleWithCount(title: string, count: number): string {
  const at = title.lastIndexOf(TIMES);
  return at === -1 ? title : title.slice(0, at) + title.slice(at).replace(/\d+/, () => String(count));
}

function cycleOf(names: readonly string[]): string {
  const [first = 'tool'] = names;
  const steps = names.length === 0 ? '' : `${String(names.length)} `;
  if (names.every((name) => name === first)) return `Cycle of ${steps}${first} calls`;
  return names.length <= MAX_NAMES ? names.join(' → ') : `Cycle of ${steps}steps`;
}

function times(subject: string, count: number): string {
  return `${subject}${TIMES}${String(count)}`;
}

/** The arguments of the call that a loop repeats; null if it does not repeat one call. */
export function argumentsOf({
  detector,
  tool,
}: {
  readonly detector: DetectorId;
  readonly tool: { readonly name: string; readonly signature: string } | null;
}): string | null {
  if (detector !== 'tool-repeat' || tool === null) return null;
  const { name, signature } = tool;
  return signature.startsWith(`${name}:`) ? signature.slice(name.length + 1) : signature;
}
