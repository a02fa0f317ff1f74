import * as api from '@loopwatch/contract/api';
import * as z from 'zod';
import type { Tag } from './tag.ts';

export const events: Tag = {
  name: 'Events',
  description: 'Send events of agents.',
  operations: {
    '/events': {
      post: {
        id: 'postEvents',
        description: 'Sends events',
        answer: api.postedEventsSchema,
        status: 202,
        query: api.postedEventsQuerySchema,
        body: z
          .looseObject({ type: z.string(), sessionId: z.string() })
          .describe('An agent event; `time` defaults to now.'),
        example: {
          sessionId: 's-1',
          type: 'tool_call_request',
          name: 'read_file',
          args: { path: 'README.md' },
          agent: 'coder',
        },
        lines:
          'One event, an array of events (up to 20 MB), or one event per line (up to 1 GiB), written as they arrive. Valid events are accepted even when others are rejected. A problem carries the same counts, and `unreadFromLine` or `retryFromLine`: the line to continue from.',
        problems: [400, 413, 415, 422],
      },
    },
  },
};

export const guard: Tag = {
  name: 'Guard',
  description: 'Ask whether a call may run.',
  operations: {
    '/decide': {
      post: {
        id: 'decideCall',
        description: 'Decides a call before it runs; records nothing',
        answer: api.decisionSchema,
        body: api.proposedCallSchema,
        example: { sessionId: 's-1', name: 'read_file', args: { path: 'README.md' } },
        problems: [400, 413],
      },
    },
    '/hooks/generic': {
      post: {
        id: 'answerGenericHook',
        description: 'Decides a call before it runs, or takes its result: a hook for any agent',
        answer: api.genericHookAnswerSchema,
        body: api.genericHookSchema,
        example: { session: 's-1', event: 'before', tool: 'read_file', arguments: { path: 'README.md' } },
        problems: [400, 413, 422],
      },
    },
    '/hooks/litellm/beta/litellm_basic_guardrail_api': {
      post: {
        id: 'answerLitellmGuardrail',
        description: 'Blocks responses that continue a loop: LiteLLM’s Generic Guardrail API',
        answer: api.guardrailAnswerSchema,
        body: api.guardrailRequestSchema,
        example: {
          input_type: 'response',
          litellm_call_id: 'c-1',
          tool_calls: [{ id: 'call_1', function: { name: 'read_file', arguments: '{"path":"README.md"}' } }],
        },
        problems: [400, 413, 422],
      },
    },
    '/hooks/{agent}': {
      post: {
        id: 'answerHook',
        description: 'Handles the input of a coding agent’s hook, and answers in the agent’s format',
        answer: z.looseObject({}).describe('Empty when the agent may continue.'),
        body: z
          .looseObject({ hook_event_name: z.string(), session_id: z.string() })
          .describe(`The hook input of ${api.hookAgents.join(', ')}.`),
        example: {
          hook_event_name: 'PreToolUse',
          session_id: 's-1',
          tool_name: 'Read',
          tool_input: { file_path: 'README.md' },
          tool_use_id: 'toolu_1',
        },
        problems: [400, 404, 413, 422],
      },
    },
  },
};
