import {
  backtestMessageSchema,
  changesMessageSchema,
  heartbeatMessageSchema,
  type LiveMessages,
  snapshotMessageSchema,
} from '@loopwatch/contract/api';
import type { QueryClient } from '@tanstack/react-query';
import { io, type Socket } from 'socket.io-client';
import type { z } from 'zod';
import { followServer, serverNow } from '../lib/clock.ts';
import { FrameBuffer } from './frame-buffer.ts';
import { type LiveStore, tellsOfRemoval } from './live-store.ts';

/** Connects a store to the namespace `/live` of the server that this page came from; it reconnects for ever. */
export function connect(store: LiveStore, client: QueryClient): { readonly retry: () => void } {
  const socket: Socket<LiveMessages> = io('/live', {
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    transports: ['websocket', 'polling'],
    auth: (callback) => {
      const { sequence } = store.get();
      callback(sequence === undefined ? {} : { since: sequence });
    },
  });
  const buffer = new FrameBuffer((message) => store.changes(message, serverNow()));

  socket.on('connect', () => store.found());
  socket.on(
    'snapshot',
    checked(snapshotMessageSchema, (message) => {
      const again = store.get().stats !== undefined;
      buffer.clear();
      store.snapshot(message, serverNow());
      // After a long break it is unknown what was missed: all that is shown is read again.
      if (again) void client.invalidateQueries();
    }),
  );
  socket.on(
    'changes',
    checked(changesMessageSchema, (message) => {
      if (tellsOfRemoval(store.get(), message)) {
        for (const queryKey of [
          ['incidents', 'list'],
          ['incidents', 'groups'],
          ['sessions', 'list'],
        ])
          void client.invalidateQueries({ queryKey });
      }
      buffer.add(message);
      if (message.settings.length > 0) void client.invalidateQueries({ queryKey: ['settings'] });
      // Any incident may be muted by it, those shown beyond what the message tells as well.
      if (message.mutes.length > 0) {
        for (const queryKey of [['incidents'], ['mutes'], ['sessions', 'one']])
          void client.invalidateQueries({ queryKey });
      }
    }),
  );
  socket.on(
    'backtest',
    checked(backtestMessageSchema, (job) => {
      void client.invalidateQueries({ queryKey: ['backtests', 'one', job.id] });
      void client.invalidateQueries({ queryKey: ['backtests', 'list'] });
    }),
  );
  socket.on(
    'heartbeat',
    checked(heartbeatMessageSchema, (message) => {
      followServer(message.serverTime);
      store.heartbeat(message, serverNow());
    }),
  );
  socket.on('disconnect', (reason) => {
    store.lost(serverNow());
    if (reason === 'io server disconnect') socket.connect();
  });
  socket.on('connect_error', (error) => store.refused(error.message));
  return {
    retry: () => {
      store.retrying();
      socket.disconnect().connect();
    },
  };
}

/** A message that is not what the contract says comes from a server of another version; it is left out. */
function checked<Schema extends z.ZodType>(schema: Schema, take: (message: z.infer<Schema>) => void) {
  return (message: unknown): void => {
    const parsed = schema.safeParse(message);
    if (parsed.success) take(parsed.data);
    else console.error('A live message is not what this page expects; load the page again', parsed.error);
  };
}
