import { type ChangeSettingsDeps, changeSettings } from '../settings/change-settings.ts';
import { parseScope } from '../settings/scope.ts';
import { settingsOf } from '../settings/stored-settings.ts';

/** Whose word it is, and when it was given. */
export interface Order {
  readonly by: string;
  /** Wall clock, epoch ms. */
  readonly at: number;
}

/**
 * Stops a session, or lets it go on. A stop is a setting of the session, so that it is stored, published and obeyed like the
 * others, and survives restarts and prompts.
 *
 * @param isOwn whether a stop by this user may be lifted; default: any
 * @returns whether anything changed
 */
export async function stopSession(
  deps: ChangeSettingsDeps,
  id: string,
  stopped: boolean,
  { by, at }: Order,
  isOwn: (by: string | null) => boolean = () => true,
): Promise<boolean> {
  const scope = parseScope(`session:${id}`);
  const { set, version, updatedBy } = await settingsOf(deps.database, scope.text);
  const { stopped: before, ...others } = set;
  if ((before === true) === stopped || (!stopped && !isOwn(updatedBy))) return false;
  const next = stopped ? { ...others, stopped } : others;
  await changeSettings(deps, { scope, set: next, version, by, at });
  return true;
}
