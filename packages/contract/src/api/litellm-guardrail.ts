import * as z from 'zod';

/* `POST /hooks/litellm/...`: LiteLLM's Generic Guardrail API. Versions of LiteLLM add fields, so others are ignored. */

/** The body for a request to a model, and for its response. */
export const guardrailRequestSchema = z.looseObject({
  input_type: z.enum(['request', 'response']),
  litellm_call_id: z.string().nullish().describe('The same for a request and its response.'),
  model: z.string().nullish(),
  structured_messages: z
    .array(z.looseObject({ role: z.string() }))
    .nullish()
    .describe('With `request`: the conversation so far.'),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }),
      }),
    )
    .nullish()
    .describe('With `response`: the calls that the model asks for.'),
  request_headers: z
    .record(z.string(), z.string())
    .nullish()
    .describe('`x-litellm-session-id` names the session; otherwise the same beginning is the same session.'),
});

export const guardrailAnswerSchema = z.object({
  action: z.enum(['NONE', 'BLOCKED']),
  blocked_reason: z.string().nullable().describe('What the agent reads instead of the response.'),
});

export type GuardrailRequest = z.infer<typeof guardrailRequestSchema>;
export type GuardrailAnswer = z.infer<typeof guardrailAnswerSchema>;
