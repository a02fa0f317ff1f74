import type { Incident, ThresholdAdjustment, ThresholdOrigin } from '@loopwatch/contract';
import { formatNumber, joinWords } from '../lib/format.ts';
import { writeSet } from '../settings/address.ts';

/** Explains where a threshold comes from and links to where it can be changed. */

const TRIPLED = 'tripled because';
const adjustments: Record<ThresholdAdjustment, string> = {
  'same-result': 'lowered by one because the results are identical',
  'alike-results': 'raised by one because the results differ in random-looking tokens',
  'any-results': 'ten times as many because the results differ',
  'declared-poller': `${TRIPLED} the tool is configured as a poller`,
  'looks-like-poller': `${TRIPLED} it looks like a status query`,
  'under-way': `${TRIPLED} the result says work is still in progress`,
  'same-form': 'doubled because the results differ',
  reworded: 'lowered by one because the query is only reworded',
  'short-answer': 'doubled because the answer is short',
  navigation: `${TRIPLED} each step may show something else`,
};

type Data = Pick<Incident, 'backend' | 'detector' | 'model' | 'preset' | 'sessionId' | 'tool' | 'threshold'>;

/** `4 from preset balanced; lowered by one because …`. */
export function thresholdText({ value, scope, adjustments: why }: ThresholdOrigin, incident: Data): string {
  const setBy: Record<ThresholdOrigin['scope'], string> = {
    preset: `from preset ${incident.preset}`,
    server: 'set for the server',
    model: `set for model ${incident.model ?? ''}`,
    session: 'set for this session',
  };
  const parts = why.map((one) => adjustments[one]);
  // A budget counts in percent.
  const number = incident.detector === 'budget' ? `100% of ${formatNumber(value)}` : formatNumber(value);
  return [`${number} ${setBy[scope]}`, ...(parts.length === 0 ? [] : [joinWords(parts)])].join('; ');
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
