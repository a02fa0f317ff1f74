import {
  FIRST_PAUSE_SECONDS,
  type HookInstallation,
  type HookTarget,
  hookUrl,
  PAUSE_PARTS,
  SLOW_PARTS,
  WAIT_PARTS,
} from './hook-target.ts';
import { postText } from './post-text.ts';

/**
 * The plugin for opencode, which has no hooks of another kind. It sends what the hooks of Claude Code send, and pauses as a
 * hook does; one process knows how long its calls have taken.
 */
export function pluginText(target: HookTarget): string {
  const { waitMs, pauseMinutes, tokenEnv = null } = target;
  const settings = { url: hookUrl('opencode', target.url), tokenEnv, waitMs, pauseMinutes };
  return `// Loopwatch stops loops: before each call, this plugin asks its server whether the call would continue one.
// Written by \`loopwatch hook install opencode\`; \`loopwatch hook uninstall opencode\` removes it.
const settings = ${JSON.stringify(settings, null, 2)};
const slowMs = settings.waitMs * ${String(SLOW_PARTS / WAIT_PARTS)};
const tooLongMs = settings.waitMs * ${String(PAUSE_PARTS / WAIT_PARTS)};

${postText}

export const Loopwatch = async ({ client }) => {
  const parents = new Map();
  const calls = new Map();
  let slowTotal = 0;
  let pauseMs = 0;
  let pausedUntil = 0;

  const show = (message) =>
    client.tui.showToast({ body: { message, variant: 'warning' } }).catch(() => {});

  /** The first pause is short: a server that has just started may be slow only once. */
  function pause() {
    if (pauseMs === 0) show('Loopwatch is not asked for a while: its server is too slow');
    pauseMs = Math.min(Math.max(pauseMs * 2, ${String(FIRST_PAUSE_SECONDS * 1_000)}), settings.pauseMinutes * 60_000);
    pausedUntil = Date.now() + pauseMs;
  }

  /** Never throws: whatever is wrong with the server, the agent continues. */
  async function ask(session, event, fields) {
    if (Date.now() < pausedUntil) return {};
    const token = settings.tokenEnv === null ? undefined : process.env[settings.tokenEnv];
    const parent = parents.get(session);
    const ids = parent === undefined ? { session_id: session } : { session_id: parent, agent_id: session };
    const input = JSON.stringify({ ...ids, hook_event_name: event, ...fields });
    const { text, tookMs } = await post(settings.url, token, settings.waitMs, input);
    slowTotal = tookMs < slowMs ? 0 : slowTotal + tookMs;
    if (slowTotal === 0) pauseMs = 0;
    else if (slowTotal >= tooLongMs) pause();
    try {
      return JSON.parse(text);
    } catch {
      return {};
    }
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

/** What the plugin's file says of its installation. */
export function readPlugin(text: string): HookInstallation {
  const value = (name: string) => new RegExp(`"${name}": (?:"([^"]*)"|([\\d.]+))`).exec(text);
  const server = /^(https?:.*)\/api\/v1\/hooks\/opencode$/.exec(value('url')?.[1] ?? '')?.[1];
  const waitMs = value('waitMs')?.[2];
  return {
    events: server === undefined ? [] : ['plugin'],
    server,
    tokenEnv: value('tokenEnv')?.[1],
    waitMs: waitMs === undefined ? undefined : Number(waitMs),
  };
}
