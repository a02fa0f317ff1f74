import * as api from '@loopwatch/contract/api';
import * as z from 'zod';
import { pagingParameters } from '../../http/parse-query.ts';
import { listOf, type Tag } from './tag.ts';

export const sessions: Tag = {
  name: 'Sessions',
  description: 'Read sessions, stop them, and follow their verdicts.',
  operations: {
    '/sessions': {
      get: {
        id: 'listSessions',
        description: 'Lists sessions, most recently active first by default',
        answer: api.sessionPageSchema,
        query: listOf(api.sessionFilterSchema, api.sessionSorts),
        problems: [400],
      },
      delete: {
        id: 'eraseSessions',
        description:
          'Erases the sessions of a tenant or with a tag for good: pass one of them. Events that arrive later begin new sessions',
        answer: api.erasureSchema,
        query: api.erasureQuerySchema,
        problems: [400],
      },
    },
    '/sessions/{id}': {
      get: {
        id: 'getSession',
        description: 'Returns a session with its incidents',
        answer: api.sessionDetailSchema,
        problems: [404],
      },
      delete: {
        id: 'eraseSession',
        description:
          'Erases a session and its sub-agents for good, even if it is no longer stored. Events that arrive later begin a new session',
        answer: api.erasureSchema,
      },
    },
    '/sessions/{id}/events': {
      get: {
        id: 'listSessionEvents',
        description: 'Lists the events of a session, read from the log',
        answer: api.sessionEventsSchema,
        query: api.sessionEventsQuerySchema,
        problems: [400, 404],
      },
    },
    '/sessions/{id}/outline': {
      get: {
        id: 'getSessionOutline',
        description: 'Summarizes a whole session for a map of it, and finds events by their text',
        answer: api.sessionOutlineSchema,
        query: api.sessionOutlineQuerySchema,
        problems: [400, 404],
      },
    },
    '/sessions/{id}/messages': {
      get: {
        id: 'listSessionMessages',
        description: 'Returns the conversation of a session as stored by the gateway',
        answer: api.sessionMessagesSchema,
        query: z.object(pagingParameters).partial(),
        problems: [400, 404],
      },
    },
    '/sessions/{id}/records/{offset}': {
      get: {
        id: 'getSessionRecord',
        description: 'Returns a raw record of a session',
        answer: api.sessionRecordSchema,
        problems: [404],
      },
    },
    '/sessions/{id}/stop': {
      post: {
        id: 'stopSession',
        description: 'Stops a session: a gateway, hook or guard denies its next call',
        answer: api.sessionStopSchema,
        problems: [404],
      },
      delete: {
        id: 'resumeSession',
        description: 'Resumes a stopped session',
        answer: api.sessionStopSchema,
        problems: [404],
      },
    },
    '/sessions/{id}/verdicts/stream': {
      get: {
        id: 'streamVerdicts',
        description:
          'Streams a session as server-sent events: its verdicts, which incidents are dismissed, and whether it is stopped',
        answer: 'text/event-stream',
      },
    },
  },
};
