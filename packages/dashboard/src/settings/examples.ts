/** What a setting that is written as JSON may look like, by its path. */
export const examples: Readonly<Record<string, object>> = {
  'tool_call_loop.per_tool': { deploy_status: { max_repeats: 9, ttl_seconds: 600 } },
  per_tool: { search_web: { volatile: ['request_id'] }, ci_result: { poller: true } },
  agents: { 'my-agent': { names: ['my-agent-v2'], tools: { ci_result: { poller: true } } } },
};
