import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where an agent keeps the histories of its sessions. */
export interface History {
  readonly agent: string;
  readonly folder: string;
  /** Which of its files are histories. */
  readonly files: RegExp;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders in which the agents keep their histories, whether they exist or not. */
export function knownHistories(environment: Environment = process.env, home = homedir()): History[] {
  const { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex, XDG_DATA_HOME: data } = environment;
  const claudeFolders = named(claude)?.split(',') ?? [join(home, '.claude'), join(home, '.config/claude')];
  const codexHome = named(codex) ?? join(home, '.codex');
  const openCode = join(named(data) ?? join(home, '.local/share'), 'opencode/storage');
  const history = (agent: string, folder: string, files: RegExp): History => ({ agent, folder, files });
  return [
    ...claudeFolders.map((folder) => history('Claude Code', join(folder, 'projects'), /\.jsonl$/)),
    history('Codex', join(codexHome, 'sessions'), /rollout-[^/]*\.jsonl$/),
    history('Codex', join(codexHome, 'archived_sessions'), /rollout-[^/]*\.jsonl$/),
    history('Gemini CLI', join(home, '.gemini/tmp'), /\/chats\/[^/]*\.jsonl?$/),
    history('Qwen Code', join(home, '.qwen/tmp'), /\/chats\/[^/]*\.jsonl?$/),
    history('opencode', openCode, /\/session\/.*\.json$/),
    history('OpenHands', join(home, '.openhands/conversations'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands/sessions'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands-state/sessions'), /\/events\/[^/]*\.json$/),
  ];
}

/** An empty variable is as good as none. */
function named(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** What is read in a folder that the user names. */
export const anyHistory = /\.(?:jsonl|ndjson|json)(?:\.gz)?$/;
