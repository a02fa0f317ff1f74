import type { SettingKey } from '@loopwatch/contract/api';
import { problemsOf } from './maps/problems.ts';
import { type Checked, check } from './value.ts';

/** As {@link check}, and what a map or list contains by the server's own schema. */
export function checkSetting(key: SettingKey, text: string): Checked {
  const checked = check(key, text);
  if ('error' in checked || (key.type !== 'map' && key.type !== 'list')) return checked;
  const [problem] = problemsOf(key.path, checked.value);
  return problem === undefined
    ? checked
    : { error: `${[key.path, ...problem.at].map(String).join('.')}: ${problem.text}` };
}
