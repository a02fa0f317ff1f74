import type { HookTarget } from './hook-target.ts';
import { pluginClient } from './plugin-client.ts';

/** The plugin for opencode. */
export function opencodePlugin(target: HookTarget): string {
  return `${pluginClient('opencode', 'plugin', target)}

export const Loopwatch = async ({ client }) => {
  const parents = new Map();
  const calls = new Map();
  const show = (message) =>
    client.tui.showToast({ body: { message, variant: 'warning' } }).catch(() => {});
  const askServer = createAsk(show);

  function ask(session, event, fields) {
    const parent = parents.get(session);
    const ids = parent === undefined ? { session_id: session } : { session_id: parent, agent_id: session };
    return askServer({ ...ids, hook_event_name: event, ...fields });
  }

  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const prompt = parts.map(({ text }) => text ?? '').join('');
      if (!parents.has(sessionID)) await ask(sessionID, 'UserPromptSubmit', { prompt });
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID };
      const answer = await ask(sessionID, 'PreToolUse', call);
      const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {};
      if (permissionDecision !== 'deny') {
        calls.set(callID, call);
        if (answer.systemMessage) show(answer.systemMessage);
        return;
      }
      if (answer.continue === false) await client.session.abort({ path: { id: sessionID } }).catch(() => {});
      throw new Error(permissionDecisionReason);
    },
    'tool.execute.after': async ({ sessionID, callID }, result) => {
      const call = calls.get(callID);
      if (!calls.delete(callID)) return;
      const { hookSpecificOutput } = await ask(sessionID, 'PostToolUse', { ...call, tool_response: result.output });
      const advice = hookSpecificOutput?.additionalContext;
      if (advice) result.output = [result.output, advice].filter(Boolean).join('\\n\\n');
    },
    event: async ({ event }) => {
      const { info, part } = event.properties ?? {};
      if (event.type === 'session.created' && info?.parentID) parents.set(info.id, info.parentID);
      // Nothing is called after a tool that failed.
      if (event.type !== 'message.part.updated' || part?.state?.status !== 'error') return;
      const call = calls.get(part.callID);
      if (calls.delete(part.callID))
        await ask(part.sessionID, 'PostToolUseFailure', { ...call, error: part.state.error });
    },
  };
};
`;
}
