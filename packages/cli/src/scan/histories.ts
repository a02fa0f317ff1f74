import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where an agent stores the histories of its sessions. */
export interface History {
  readonly agent: string;
  readonly folder: string;
  /** Matches the history files. */
  readonly files: RegExp;
  /** Whether the files are in the folder itself, and below it is what makes the search slow. */
  readonly isFlat?: boolean;
}

/** Codex compresses the rollout of a session that rests for a week; its first version wrote documents. */
const codexRollout = /rollout-[^/]*\.json(?:l(?:\.zst)?)?$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The history folders of all known agents, whether they exist or not. */
export function knownHistories(environment: Environment = process.env, home = homedir()): History[] {
  const { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex, XDG_DATA_HOME: data } = environment;
  const { PI_CODING_AGENT_DIR: pi, OPENCLAW_STATE_DIR: openclaw, VIBE_HOME: vibe } = environment;
  const { HERMES_HOME: hermes, GROK_HOME: grok, KIMI_CODE_HOME: kimi } = environment;
  const claudeFolders = nonEmpty(claude)?.split(',') ?? [join(home, '.claude'), join(home, '.config/claude')];
  const codexHome = nonEmpty(codex) ?? join(home, '.codex');
  const dataFolder = nonEmpty(data) ?? join(home, '.local/share');
  const history = (agent: string, folder: string, files: RegExp): History => ({ agent, folder, files });
  return [
    ...claudeFolders.map((folder) => history('Claude Code', join(folder, 'projects'), /\.jsonl$/)),
    history('Codex', join(codexHome, 'sessions'), codexRollout),
    history('Codex', join(codexHome, 'archived_sessions'), codexRollout),
    // Those of sub-agents are in a folder that is named after their parent.
    history('Gemini CLI', join(home, '.gemini/tmp'), /\/chats\/(?:[^/]*\/)?[^/]*\.jsonl?$/),
    history('Qwen Code', join(home, '.qwen/projects'), /\.jsonl$/),
    history('Qwen Code', join(home, '.qwen/tmp'), /\/chats\/[^/]*\.jsonl?$/),
    history('opencode', join(dataFolder, 'opencode/storage'), /\/session\/.*\.json$/),
    history('opencode', join(dataFolder, 'opencode'), /\/opencode(?:-[^/]*)?\.db$/),
    history('OpenHands', join(home, '.openhands/conversations'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands/sessions'), /\/events\/[^/]*\.json$/),
    history('OpenHands', join(home, '.openhands-state/sessions'), /\/events\/[^/]*\.json$/),
    history('Copilot CLI', join(home, '.copilot/session-state'), /\.jsonl$/),
    history('Cursor', join(home, '.cursor/projects'), /\/agent-transcripts\/.*\.jsonl$/),
    history(
      'OpenClaw',
      join(nonEmpty(openclaw) ?? join(home, '.openclaw'), 'agents'),
      /\/sessions\/[^/]*\.jsonl$|\/agent\/openclaw-agent\.sqlite$/,
    ),
    history('pi', join(nonEmpty(pi) ?? join(home, '.pi/agent'), 'sessions'), /\.jsonl$/),
    history('Droid', join(home, '.factory/sessions'), /\.jsonl$/),
    history(
      'Antigravity CLI',
      join(home, '.gemini/antigravity-cli/brain'),
      /\/logs\/transcript(?:_full)?\.jsonl$/,
    ),
    history('Kimi CLI', join(home, '.kimi/sessions'), /\/context[^/]*\.jsonl$/),
    history(
      'Kimi Code',
      join(nonEmpty(kimi) ?? join(home, '.kimi-code'), 'sessions'),
      /\/agents\/[^/]+\/wire\.jsonl$/,
    ),
    history(
      'Mistral Vibe',
      join(nonEmpty(vibe) ?? join(home, '.vibe'), 'logs/session'),
      /\/messages\.jsonl$/,
    ),
    history('Grok', join(nonEmpty(grok) ?? join(home, '.grok'), 'sessions'), /\/updates\.jsonl$/),
    history('goose', join(dataFolder, 'goose/sessions'), /\/sessions\.db$/),
    ...hermesFolders(nonEmpty(hermes) ?? join(home, '.hermes')).map((folder) => ({
      ...history('Hermes', folder, /\/state\.db$/),
      isFlat: true,
    })),
    ...crushFolders(join(dataFolder, 'crush/projects.json')).map((folder) =>
      history('Crush', folder, /\/crush\.db$/),
    ),
    ...editorFolders(environment, home).flatMap((editor) =>
      extensions.map(([agent, extension]) =>
        history(
          agent,
          join(editor, 'User/globalStorage', extension, 'tasks'),
          /\/api_conversation_history\.json$/,
        ),
      ),
    ),
  ];
}

const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const extensions = [
  ['Cline', 'saoudrizwan.claude-dev'],
  ['Roo Code', 'rooveterinaryinc.roo-cline'],
  ['Kilo Code', 'kilocode.kilo-code'],
] as const;

/** Where Visual Studio Code and its forks store what their extensions write, on Linux, macOS and Windows. */
function editorFolders({ APPDATA: windows }: Environment, home: string): string[] {
  const roots = [
    join(home, '.config'),
    join(home, 'Library/Application Support'),
    ...(nonEmpty(windows) === undefined ? [] : [String(windows)]),
  ];
  return roots.flatMap((root) => editors.map((editor) => join(root, editor)));
}

/** Hermes has a database for itself and one for each profile; its own code and tools are beside them. */
function hermesFolders(home: string): string[] {
  const profiles = join(home, 'profiles');
  const entries = existsSync(profiles) ? readdirSync(profiles, { withFileTypes: true }) : [];
  return [home, ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(profiles, name))];
}

/** Crush stores sessions in each project, and lists the projects in one file. */
function crushFolders(list: string): string[] {
  try {
    const { projects } = JSON.parse(readFileSync(list, 'utf8')) as {
      projects: readonly { readonly path: string; readonly data_dir: string }[];
    };
    return projects.map(({ path, data_dir: folder }) => resolve(path, folder));
  } catch {
    return [];
  }
}

/** Treats an empty variable as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** The agents whose histories a scan finds. */
export function scannedAgents(): string[] {
  return [...new Set([...knownHistories({}, '').map(({ agent }) => agent), 'Crush'])];
}

/** Matches files to read in a folder that the user names. */
export const anyHistoryFile = /\.(?:(?:jsonl|ndjson|json|traj|eval)(?:\.gz|\.zst)?|db|sqlite)$/;
