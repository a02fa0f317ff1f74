import type { Mute, MuteCause, MutePost, TriagePatch } from '@loopwatch/contract/api';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { patchGroup, patchIncidents } from '../../api/incidents.ts';
import { useRefusal } from '../../api/me.ts';
import { deleteMute, postMute } from '../../api/mutes.ts';
import { serverNow } from '../../lib/clock.ts';
import { errorText } from '../../lib/error-text.ts';
import { plural } from '../../lib/format.ts';
import { toast } from '../../ui/feedback/toast-store.ts';
import { setUndo } from '../triage.ts';

/** Triage of a whole cause or group. */

export const causeTimes = [
  { name: 'until it escalates', ms: undefined },
  { name: 'for a week', ms: 7 * 86_400_000 },
  { name: 'for good', ms: null },
] as const;

export type CauseTime = (typeof causeTimes)[number];

export interface CauseTriager {
  readonly mute: (cause: MuteCause, time?: CauseTime) => void;
  readonly unmute: (mute: Mute) => void;
  readonly triageGroup: (key: string, patch: TriagePatch, done: string) => void;
}

export function useCauseTriage(): CauseTriager {
  const client = useQueryClient();
  const refusal = useRefusal();
  const run = (work: () => Promise<void>): void => {
    if (refusal === undefined) void reporting(client, 'Nothing was changed', work);
    else toast(refusal);
  };
  const done = (text: string, undo: () => Promise<unknown>): void => {
    const back = (): void => {
      setUndo(undefined);
      void reporting(client, 'Could not undo', async () => {
        await undo();
        toast('Undone');
      });
    };
    setUndo(back);
    toast(text, { action: { name: 'Undo', run: back } });
  };
  return {
    mute: (cause, time = causeTimes[0]) =>
      run(async () => {
        const { id } = await postMute({ cause, ...endOf(time) });
        done(`Cause muted ${time.name}`, () => deleteMute(id));
      }),
    unmute: ({ id, cause, until, escalation, note }) =>
      run(async () => {
        await deleteMute(id);
        done('Cause unmuted', () => postMute({ cause, until, note, untilEscalates: escalation !== null }));
      }),
    triageGroup: (key, patch, text) =>
      run(async () => {
        const { incidents, undo } = await patchGroup(key, patch);
        done(`${plural(incidents, 'incident')}: ${text}`, async () => {
          for (const { ids, change } of undo) await patchIncidents(ids, change);
        });
      }),
  };
}

function endOf({ ms }: CauseTime): Pick<MutePost, 'until' | 'untilEscalates'> {
  if (ms === undefined) return { untilEscalates: true };
  return { until: ms === null ? null : serverNow() + ms };
}

async function reporting(client: QueryClient, failed: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    for (const queryKey of [['incidents'], ['mutes'], ['stats'], ['sessions', 'one']])
      void client.invalidateQueries({ queryKey });
  } catch (error) {
    toast(`${failed}: ${errorText(error)}`, { tone: 'hot' });
  }
}
