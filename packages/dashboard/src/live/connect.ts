import type { LiveMessages } from '@loopwatch/contract/api';
import { io, type Socket } from 'socket.io-client';
import { followServer, serverNow } from '../app/clock.ts';
import type { LiveStore } from './live-store.ts';

/** Connects a store to the namespace `/live` of the server that this page came from; it reconnects for ever. */
export function connect(store: LiveStore): { readonly retry: () => void } {
  const socket: Socket<LiveMessages> = io('/live', {
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    transports: ['websocket', 'polling'],
  });
  socket.on('snapshot', (message) => store.snapshot(message, serverNow()));
  socket.on('changes', ({ incidents, stats }) => store.incidents({ incidents, stats }, serverNow()));
  socket.on('heartbeat', (message) => {
    followServer(message.serverTime);
    store.heartbeat(message, serverNow());
  });
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
