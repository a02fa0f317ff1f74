import type { HookAgent } from '@loopwatch/contract/api';
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
 * What the plugins of agents have in common, which have no hooks that run commands. A plugin sends what the hooks of Claude Code
 * send, and pauses as a hook does; one process knows how long its calls have taken.
 *
 * @returns the start of a plugin's file, with `createAsk(show)`; `show` tells the agent's user something
 */
export function pluginClient(agent: HookAgent, kind: string, target: HookTarget): string {
  const { waitMs, pauseMinutes, tokenEnv = null } = target;
  const settings = { url: hookUrl(agent, target.url), tokenEnv, waitMs, pauseMinutes };
  return `// Loopwatch stops loops: before each call, this ${kind} asks its server whether the call would continue one.
// Written by \`loopwatch hook install ${agent}\`; \`loopwatch hook uninstall ${agent}\` removes it.
const settings = ${JSON.stringify(settings, null, 2)};
const slowMs = settings.waitMs * ${String(SLOW_PARTS / WAIT_PARTS)};
const tooLongMs = settings.waitMs * ${String(PAUSE_PARTS / WAIT_PARTS)};

${postText}

function createAsk(show) {
  let slowTotal = 0;
  let pauseMs = 0;
  let pausedUntil = 0;

  /** The first pause is short: a server that has just started may be slow only once. */
  function pause() {
    if (pauseMs === 0) show('Loopwatch checks are paused: its server is too slow');
    pauseMs = Math.min(Math.max(pauseMs * 2, ${String(FIRST_PAUSE_SECONDS * 1_000)}), settings.pauseMinutes * 60_000);
    pausedUntil = performance.now() + pauseMs;
  }

  /** Never throws: whatever is wrong with the server, the agent continues. */
  return async function ask(input) {
    if (performance.now() < pausedUntil) return {};
    const token = settings.tokenEnv === null ? undefined : process.env[settings.tokenEnv];
    const { text, tookMs } = await post(settings.url, token, settings.waitMs, JSON.stringify(input));
    slowTotal = tookMs < slowMs ? 0 : slowTotal + tookMs;
    if (slowTotal === 0) pauseMs = 0;
    else if (slowTotal >= tooLongMs) pause();
    try {
      return JSON.parse(text);
    } catch {
      return {};
    }
  };
}`;
}

/** What the file of a plugin says of its installation. */
export function readPlugin(text: string): HookInstallation {
  const value = (name: string) => new RegExp(`"${name}": (?:"([^"]*)"|([\\d.]+))`).exec(text);
  const server = /^(https?:.*)\/api\/v1\/hooks\/[\w-]+$/.exec(value('url')?.[1] ?? '')?.[1];
  const waitMs = value('waitMs')?.[2];
  return {
    events: server === undefined ? [] : ['plugin'],
    server,
    tokenEnv: value('tokenEnv')?.[1],
    waitMs: waitMs === undefined ? undefined : Number(waitMs),
  };
}
