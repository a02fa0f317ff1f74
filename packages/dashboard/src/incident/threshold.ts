import type { Incident, ThresholdAdjustment, ThresholdOrigin } from '@loopwatch/contract';
import { formatNumber, joinWords } from '../lib/format.ts';
import { writeSet } from '../settings/address.ts';

/** Where a threshold comes from, in words, and where it can be changed. */

const WAITS = 'three times as many, because';
const adjustments: Record<ThresholdAdjustment, string> = {
  'same-result': 'one less, because the results are known to be the same',
  'declared-poller': `${WAITS} the tool is set as a poller`,
  'looks-like-poller': `${WAITS} it looks like a status query`,
  'under-way': `${WAITS} the result says that something is still under way`,
  'same-form': 'twice as many, because the results differ',
  reworded: 'one less, because the question is the same in other words',
  'short-answer': 'twice as many, because the answer is short',
};

type Data = Pick<Incident, 'backend' | 'detector' | 'model' | 'preset' | 'sessionId' | 'tool' | 'threshold'>;

/** `4 by preset balanced; one less, because …`. */
export function thresholdText({ value, scope, adjustments: why }: ThresholdOrigin, incident: Data): string {
  const setBy: Record<ThresholdOrigin['scope'], string> = {
    preset: `by preset ${incident.preset}`,
    server: 'set for the server',
    model: `set for model ${incident.model ?? ''}`,
    session: 'set for this session',
  };
  const parts = why.map((one) => adjustments[one]);
  // The count of a budget is in percent.
  const number = incident.detector === 'budget' ? `all of the ${formatNumber(value)}` : formatNumber(value);
  return [`${number} ${setBy[scope]}`, ...(parts.length === 0 ? [] : [joinWords(parts)])].join('; ');
}

/** What the settings page is opened with. */
export interface SettingLink {
  readonly scope?: string;
  readonly key: string;
  /** To fill in, not to save. */
  readonly set?: readonly string[];
}

/** The setting where it is set now; what no one has set is set for the server. */
export function settingLink({ setting, scope }: ThresholdOrigin, incident: Data): SettingLink {
  const scopes: Partial<Record<ThresholdOrigin['scope'], string>> = {
    model: `model:${incident.backend ?? ''}/${incident.model ?? ''}`,
    session: `session:${incident.sessionId}`,
  };
  const own = scopes[scope];
  const at = own === undefined ? {} : { scope: own };
  // What is set for single tools is one setting: a map.
  const map = /^(.*\bper_tool)\./.exec(setting)?.[1];
  return { ...at, key: map ?? setting };
}

/** The threshold of this tool alone, filled in with what it is now; undefined where there is no such setting. */
export function toolSettingLink(
  { setting, value }: ThresholdOrigin,
  { tool }: Data,
): SettingLink | undefined {
  if (tool === null || setting !== 'tool_call_loop.max_repeats') return undefined;
  const key = 'tool_call_loop.per_tool';
  return { key, set: writeSet({ [key]: { [tool.name]: { max_repeats: value } } }) };
}
