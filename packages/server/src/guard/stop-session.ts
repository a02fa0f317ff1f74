import { type ChangeSettingsDeps, changeSettings } from '../settings/change-settings.ts';
import { parseScope } from '../settings/scope.ts';
import { settingsOf } from '../settings/stored-settings.ts';

/** Who stops or resumes a session, and when. */
export interface StopOrder {
  readonly by: string;
  /** Wall clock, epoch ms. */
  readonly at: number;
}

/**
 * Stops or resumes a session. A stop is a setting of the session: it is stored, published and applied like any other, and
 * survives restarts and prompts.
 *
 * @param mayResume whether a stop by this user may be lifted; default: any
 * @returns whether anything changed
 */
export async function stopSession(
  deps: ChangeSettingsDeps,
  id: string,
  stopped: boolean,
  { by, at }: StopOrder,
  mayResume: (by: string | null) => boolean = () => true,
): Promise<boolean> {
  const scope = parseScope(`session:${id}`);
  const { set, version, updatedBy } = await settingsOf(deps.database, scope.text);
  const { stopped: before, ...others } = set;
  if ((before === true) === stopped || (!stopped && !mayResume(updatedBy))) return false;
  const next = stopped ? { ...others, stopped } : others;
  await changeSettings(deps, { scope, set: next, version, by, at });
  return true;
}
