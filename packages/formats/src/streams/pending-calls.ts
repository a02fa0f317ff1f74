import type { SessionEvent, Stamp } from '../record/format.ts';

interface PendingCall {
  id: string | undefined;
  name: string;
  args: string;
}

const MAX_CALLS = 1000;
const MAX_UNITS = 16 * 1024 * 1024;

/** Collects calls whose arguments are streamed in chunks. Evicts the oldest ones if a stream never completes its calls. */
export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>();
  #units = 0;

  add(key: string, id: string | undefined, name: string | undefined, args: string): void {
    const call = this.#calls.get(key) ?? { id, name: '', args: '' };
    call.id ??= id;
    call.name ||= name ?? '';
    call.args += args;
    this.#units += args.length;
    this.#calls.set(key, call);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS && this.#units <= MAX_UNITS) return;
      this.#drop(oldest);
    }
  }

  /** Removes and returns the calls whose keys have this prefix, which are now complete. */
  take(prefix: string, stamp: Stamp): SessionEvent[] {
    const events: SessionEvent[] = [];
    for (const [key, { id: callId, name, args }] of [...this.#calls]) {
      if (!key.startsWith(prefix)) continue;
      this.#drop(key);
      const id = callId === undefined ? undefined : `call:${callId}`;
      events.push({ ...stamp, id, type: 'tool_call_request', callId, name, args: args === '' ? '{}' : args });
    }
    return events;
  }

  #drop(key: string): void {
    this.#units -= this.#calls.get(key)?.args.length ?? 0;
    this.#calls.delete(key);
  }
}
