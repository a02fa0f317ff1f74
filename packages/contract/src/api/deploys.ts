import * as z from 'zod';

/* `/deploys`: when versions of agents started to run, for marks on charts. */

const name = z.string().min(1).max(1024);

export const deploySchema = z.object({
  id: z.string(),
  agent: z.string().nullable().describe('null: of all agents, or of one without a name.'),
  version: z.string(),
  at: z.number().describe('When it started to run, epoch ms.'),
  source: z
    .enum(['seen', 'posted'])
    .describe('seen: the start of the first session with this agentVersion. posted: by POST /deploys.'),
  note: z.string().nullable(),
  by: z.string().nullable().describe('Who posted it; null if it was seen.'),
});
export type Deploy = z.infer<typeof deploySchema>;

export const deployQuerySchema = z
  .strictObject({
    from: z.number().describe('Epoch ms or RFC 3339.'),
    to: z.number().describe('Epoch ms or RFC 3339.'),
    agent: name.describe('Only of this agent, or of all agents.'),
  })
  .partial();
export type DeployQuery = z.infer<typeof deployQuerySchema>;

/** Body of `POST /deploys`. */
export const deployPostSchema = z.strictObject({
  version: name,
  agent: name.optional().describe('Name of the agent; absent: all agents.'),
  at: z.int().nonnegative().optional().describe('When it started to run, epoch ms; absent: now.'),
  note: z.string().max(4000).optional(),
});
export type DeployPost = z.infer<typeof deployPostSchema>;

export const deploysSchema = z.object({
  items: z
    .array(deploySchema)
    .describe(
      'Newest first, at most 200. The first version that was seen of an agent is not in it, and neither is one that was posted as well.',
    ),
});
