import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where an agent stores the histories of its sessions. */
export interface History {
  readonly agent: string;
  readonly folder: string;
  /** Matches the history files. */
  readonly files: RegExp;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The history folders of all known agents, whether they exist or not. */
export function knownHistories(environment: Environment = process.env, home = homedir()): History[] {
  const { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex, XDG_DATA_HOME: data } = environment;
  const claudeFolders = nonEmpty(claude)?.split(',') ?? [join(home, '.claude'), join(home, '.config/claude')];
  const codexHome = nonEmpty(codex) ?? join(home, '.codex');
  const dataFolder = nonEmpty(data) ?? join(home, '.local/share');
  const history = (agent: string, folder: string, files: RegExp): History => ({ agent, folder, files });
  return [
    ...claudeFolders.map((folder) => history('Claude Code', join(folder, 'projects'), /\.jsonl$/)),
    history('Codex', join(codexHome, 'sessions'), /rollout-[^/]*\.jsonl$/),
    history('Codex', join(codexHome, 'archived_sessions'), /rollout-[^/]*\.jsonl$/),
    history('Gemini CLI', join(home, '.gemini/tmp'), /\/chats\/[^/]*\.jsonl?$/),
    history('Qwen Code', join(home, '.qwen/tmp'), /\/chats\/[^/]*\.jsonl?$/),
    history('opencode', join(dataFolder, 'opencode/storage'), /\/session\/.*\.json$/),
    history('opencode', join(dataFolder, 'opencode'), /\/opencode(?:-[^/]*)?\.db$/),
    history('OpenHands', join(home, '.openhands/conversations'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands/sessions'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands-state/sessions'), /\/events\/[^/]*\.json$/),
  ];
}

/** Treats an empty variable as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** Matches files to read in a folder that the user names. */
export const anyHistoryFile = /\.(?:(?:jsonl|ndjson|json)(?:\.gz)?|db)$/;
