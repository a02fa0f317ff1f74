import type { Incident, ThresholdAdjustment, ThresholdOrigin } from '@loopwatch/contract';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { writeSet } from '../settings/address.ts';

/** Explains where a threshold comes from and links to where it can be changed. */

const TRIPLED = 'times 3 because';
const adjustments: Record<ThresholdAdjustment, string> = {
  'same-result': 'minus 1 because results are identical',
  'alike-results': 'plus 1 because random-looking tokens differ',
  'any-results': 'times 10 because results differ',
  'declared-poller': `${TRIPLED} the tool is configured as a poller`,
  'looks-like-poller': `${TRIPLED} it looks like a status query`,
  'under-way': `${TRIPLED} the result says work is still in progress`,
  'same-form': 'times 2 because results differ',
  reworded: 'minus 1 because the query is only reworded',
  'short-answer': 'times 2 because the answer is short',
  'several-agents': 'times 2 because two agents may need each other',
  'empty-turns': 'times 4 because a producer may leave out texts',
  navigation: `${TRIPLED} each step may show something else`,
  'repeated-length': 'but here the length of text without new content decides',
};

/** What a person sets may be half a minute. */
const setValue = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

type Data = Pick<Incident, 'backend' | 'detector' | 'model' | 'preset' | 'sessionId' | 'tool' | 'threshold'>;

/** `Threshold 3 (preset balanced: 4, minus 1 because …)`. */
export function thresholdText(origin: ThresholdOrigin, incident: Data): string {
  const { setting, scope, adjustments: why } = origin;
  const setBy: Record<ThresholdOrigin['scope'], string> = {
    preset: `preset ${incident.preset}`,
    server: 'server setting',
    model: `setting for model ${incident.model ?? ''}`,
    session: 'setting for this session',
  };
  const value = setting === 'budget.usd' ? formatUsd(origin.value) : setValue.format(origin.value);
  // A budget counts in percent.
  const number = incident.detector === 'budget' ? `100% of ${value}` : value;
  const basis = [`${setBy[scope]}: ${number}`, ...why.map((one) => adjustments[one])].join(', ');
  return `Threshold ${formatNumber(incident.threshold)} (${basis})`;
}

/** Search parameters for the settings page. */
export interface SettingLink {
  readonly scope?: string;
  readonly key: string;
  /** Values to fill in without saving. */
  readonly set?: readonly string[];
}

/** Links to the scope that sets the value now; if none does, to the server's. */
export function settingLink({ setting, scope }: ThresholdOrigin, incident: Data): SettingLink {
  const scopes: Partial<Record<ThresholdOrigin['scope'], string>> = {
    model: `model:${incident.backend ?? ''}/${incident.model ?? ''}`,
    session: `session:${incident.sessionId}`,
  };
  const own = scopes[scope];
  const at = own === undefined ? {} : { scope: own };
  // Overrides per tool are one setting: a map.
  const map = /^(.*\bper_tool)\./.exec(setting)?.[1];
  return { ...at, key: map ?? setting };
}

/** Links to the threshold for this tool only, filled in with the current value; undefined if there is no such setting. */
export function toolSettingLink(
  { setting, value }: ThresholdOrigin,
  { tool }: Data,
): SettingLink | undefined {
  if (tool === null || setting !== 'tool_call_loop.max_repeats') return undefined;
  const key = 'tool_call_loop.per_tool';
  return { key, set: writeSet({ [key]: { [tool.name]: { max_repeats: value } } }) };
}
