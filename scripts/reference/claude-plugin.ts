import { addHook } from '../../packages/cli/src/hooks/hook-settings.ts';
import { hookDefaults } from '../../packages/cli/src/hooks/hook-target.ts';
import { hookedAgents } from '../../packages/cli/src/hooks/hooked-agents.ts';

/** The hooks of the plugin for Claude Code: those that `loopwatch hook install claude-code` adds to its settings. */
export function claudeHooks(): string {
  const target = { ...hookDefaults, url: 'http://localhost:4600', tokenEnv: undefined, script: undefined };
  return addHook('hooks.json', '', hookedAgents['claude-code'], target);
}
