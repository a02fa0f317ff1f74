import type { HookTarget } from './hook-target.ts';
import { pluginClient } from './plugin-client.ts';

/** The extension for pi. Sources: `docs/extensions.md` of `@earendil-works/pi-coding-agent` 1.6.0. */
export function piExtension(target: HookTarget): string {
  return `${pluginClient('pi', 'extension', target)}

/** What a result shows; of a picture, enough to tell it from others. */
const shownText = ({ type, text, data = '' }) => text ?? \`[\${type} \${data.slice(-96)}]\`;

export default function loopwatch(pi) {
  let ui;
  /** Whether the agent's turn should have ended. */
  let isOver = false;
  const show = (message) => ui?.notify(message, 'warning');
  const askServer = createAsk(show);

  function ask(ctx, event, fields) {
    if (ctx.hasUI) ui = ctx.ui;
    const { sessionManager, cwd } = ctx;
    const session = { session_id: sessionManager.getSessionId(), transcript_path: sessionManager.getSessionFile(), cwd };
    return askServer({ ...session, hook_event_name: event, ...fields });
  }

  const callOf = ({ toolName, input, toolCallId }) => ({
    tool_name: toolName,
    tool_input: input,
    tool_use_id: toolCallId,
  });

  pi.on('input', async ({ text, source }, ctx) => {
    isOver = false;
    if (source !== 'extension') await ask(ctx, 'UserPromptSubmit', { prompt: text });
  });

  pi.on('tool_call', async (event, ctx) => {
    // The calls of a script that the model has written are not the model's.
    if (event.parentToolCallId !== undefined) return;
    const answer = await ask(ctx, 'PreToolUse', callOf(event));
    const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {};
    if (permissionDecision !== 'deny') {
      if (answer.systemMessage) show(answer.systemMessage);
      return;
    }
    // Other calls of the same response may be denied without ending the turn.
    isOver ||= answer.continue === false;
    return { block: true, reason: permissionDecisionReason, terminate: isOver };
  });

  // The turn goes on if the same response has calls that were not denied.
  pi.on('turn_start', (_, ctx) => {
    if (isOver) ctx.abort();
  });

  pi.on('tool_result', async (event, ctx) => {
    if (event.parentToolCallId !== undefined) return;
    const { content, isError } = event;
    const { hookSpecificOutput } = await ask(ctx, isError ? 'PostToolUseFailure' : 'PostToolUse', {
      ...callOf(event),
      tool_response: content.map(shownText).join('\\n'),
    });
    const advice = hookSpecificOutput?.additionalContext;
    if (advice) return { content: [...content, { type: 'text', text: advice }] };
  });

  pi.on('session_shutdown', async ({ reason }, ctx) => {
    if (reason !== 'reload') await ask(ctx, 'SessionEnd', {});
  });
}
`;
}
