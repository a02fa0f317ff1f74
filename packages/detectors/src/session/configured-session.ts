import { changeBetween, type SessionOverrides } from '../settings/session-settings.ts';
import { type WatchedPush, WatchedSession } from './watched-session.ts';

const NO_SETTINGS: SessionOverrides = {};

/** A session under watch whose own settings are set elsewhere, as a person does on a page. */
export class ConfiguredSession extends WatchedSession {
  /** The session's own settings that were last adopted. */
  #adopted = NO_SETTINGS;

  /**
   * Applies the session's own settings as they were set elsewhere.
   *
   * @param time epoch ms
   * @returns undefined if they are the ones last adopted
   */
  adoptOwn(settings: SessionOverrides, time = this.analysis.lastTime): WatchedPush | undefined {
    if (settings === this.#adopted) return undefined;
    const change = changeBetween(this.#adopted, settings);
    this.#adopted = settings;
    if (change === undefined) return undefined;
    return this.push({ type: 'control', set: change.set, unset: [...change.unset] }, time);
  }
}
