import {
  backtestMessageSchema,
  changesMessageSchema,
  heartbeatMessageSchema,
  type LiveMessages,
  snapshotMessageSchema,
} from '@loopwatch/contract/api';
import type { QueryClient } from '@tanstack/react-query';
import { io, type Socket } from 'socket.io-client';
import type * as z from 'zod';
import { followServer, serverNow } from '../lib/clock.ts';
import { FrameBuffer } from './frame-buffer.ts';
import { hasRemovals, type LiveStore } from './live-store.ts';

/** Connects a store to the namespace `/live` of the server that served this page; it keeps reconnecting. */
export function connect(store: LiveStore, client: QueryClient): { readonly retry: () => void } {
  const socket: Socket<LiveMessages> = io('/live', {
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    transports: ['websocket', 'polling'],
    auth: (callback) => {
      const { sequence } = store.getState();
      callback(sequence === undefined ? {} : { since: sequence });
    },
  });
  const buffer = new FrameBuffer((message) => store.applyChanges(message, serverNow()));

  socket.on('connect', () => store.onConnect());
  socket.on(
    'snapshot',
    checked(snapshotMessageSchema, (message) => {
      const isReconnect = store.getState().stats !== undefined;
      buffer.clear();
      store.applySnapshot(message, serverNow());
      // After a long disconnection it is unknown what was missed, so everything shown is fetched again.
      if (isReconnect) void client.invalidateQueries();
    }),
  );
  socket.on(
    'changes',
    checked(changesMessageSchema, (message) => {
      if (hasRemovals(store.getState(), message)) {
        for (const queryKey of [
          ['incidents', 'list'],
          ['incidents', 'groups'],
          ['sessions', 'list'],
        ])
          void client.invalidateQueries({ queryKey });
      }
      buffer.add(message);
      if (message.settings.length > 0) void client.invalidateQueries({ queryKey: ['settings'] });
      // A mute may match any incident, also those that the message does not contain.
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
      store.applyHeartbeat(message, serverNow());
    }),
  );
  socket.on('disconnect', (reason) => {
    store.onDisconnect(serverNow());
    if (reason === 'io server disconnect') socket.connect();
  });
  socket.on('connect_error', (error) => store.onConnectError(error.message));
  return {
    retry: () => {
      store.onRetry();
      socket.disconnect().connect();
    },
  };
}

/** Ignores messages that do not match the contract: they come from a server of another version. */
function checked<Schema extends z.ZodType>(schema: Schema, handle: (message: z.infer<Schema>) => void) {
  return (message: unknown): void => {
    const parsed = schema.safeParse(message);
    if (parsed.success) handle(parsed.data);
    else console.error('Ignored a live message with an unexpected format; reload the page', parsed.error);
  };
}
