import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BadLines } from '../../src/events/bad-lines.ts';
import { findSources, findSourcesAt } from '../../src/scan/find-sources.ts';
import { knownHistories } from '../../src/scan/histories.ts';
import { folderOf } from './histories.ts';

describe('knownHistories', () => {
  it('knownHistories: lists default folders and those of the environment', () => {
    const folders = (environment: Record<string, string>) =>
      knownHistories(environment, '/h').map(({ folder }) => folder);
    expect(folders({})).toEqual(
      expect.arrayContaining([
        '/h/.claude/projects',
        '/h/.codex/sessions',
        '/h/.gemini/tmp',
        '/h/.kimi-code/sessions',
        '/h/.local/share/opencode/storage',
      ]),
    );
    expect(
      folders({ CLAUDE_CONFIG_DIR: '/a,/b', CODEX_HOME: '/c', XDG_DATA_HOME: '/d', KIMI_CODE_HOME: '/k' }),
    ).toEqual(
      expect.arrayContaining([
        '/a/projects',
        '/b/projects',
        '/c/sessions',
        '/c/archived_sessions',
        '/d/opencode/storage',
        '/k/sessions',
      ]),
    );
  });
});

describe('findSources', () => {
  it('findSources: finds the histories of all agents, and no other files', async () => {
    const home = await folderOf({
      '.claude/projects/-w/a.jsonl': '{}',
      '.claude/projects/-w/a/subagents/agent-1.jsonl': '{}',
      '.claude/projects/-w/sessions-index.json': '{}',
      '.codex/sessions/2026/05/07/rollout-x.jsonl': '{}',
      '.codex/sessions/2026/05/07/rollout-x.jsonl.zst': '',
      '.codex/sessions/2026/04/30/rollout-y.jsonl.zst': '',
      '.codex/archived_sessions/rollout-z.jsonl.zst': '',
      '.codex/history.jsonl': '{}',
      '.gemini/tmp/p/chats/session-1.json': '{}',
      '.gemini/tmp/p/chats/a47db668/283e988e.jsonl': '{}',
      '.gemini/tmp/p/logs.json': '{}',
      '.kimi-code/sessions/wd_w/session_k/agents/main/wire.jsonl': '{}',
      '.kimi-code/sessions/wd_w/session_k/agents/agent-0/wire.jsonl': '{}',
      '.kimi-code/sessions/wd_w/session_k/state.json': '{}',
      '.kimi-code/session_index.jsonl': '{}',
      '.local/share/opencode/opencode.db': '',
      '.local/share/opencode/opencode.db-wal': '',
      '.gemini/antigravity-cli/brain/1/.system_generated/logs/transcript.jsonl': '{}',
      '.gemini/antigravity-cli/brain/1/.system_generated/logs/transcript_full.jsonl': '{}',
      '.gemini/antigravity-cli/history.jsonl': '{}',
      '.grok/sessions/%2Fw/1/updates.jsonl': '{}',
      '.grok/sessions/%2Fw/1/chat_history.jsonl': '{}',
      '.hermes/state.db': '',
      '.openclaw/agents/main/agent/openclaw-agent.sqlite': '',
      '.openclaw/agents/main/sessions/sessions.json': '{}',
      '.hermes/profiles/work/state.db': '',
      '.hermes/profiles/.DS_Store': '',
      '.hermes/hermes-agent/tests/state.db': '',
    });
    const found = findSources(knownHistories({}, home), 0, new BadLines()).flatMap(({ files }) => files);
    expect(found.map((file) => file.slice(home.length + 1)).toSorted()).toEqual([
      '.claude/projects/-w/a.jsonl',
      '.claude/projects/-w/a/subagents/agent-1.jsonl',
      '.codex/archived_sessions/rollout-z.jsonl.zst',
      '.codex/sessions/2026/04/30/rollout-y.jsonl.zst',
      '.codex/sessions/2026/05/07/rollout-x.jsonl',
      '.gemini/antigravity-cli/brain/1/.system_generated/logs/transcript_full.jsonl',
      '.gemini/tmp/p/chats/a47db668/283e988e.jsonl',
      '.gemini/tmp/p/chats/session-1.json',
      '.grok/sessions/%2Fw/1/updates.jsonl',
      '.hermes/profiles/work/state.db',
      '.hermes/state.db',
      '.kimi-code/sessions/wd_w/session_k/agents/agent-0/wire.jsonl',
      '.kimi-code/sessions/wd_w/session_k/agents/main/wire.jsonl',
      '.local/share/opencode/opencode.db',
      '.openclaw/agents/main/agent/openclaw-agent.sqlite',
    ]);
  });

  it('findSources: joins the files of one session in order', async () => {
    const folder = await folderOf({
      'storage/session/p/ses_1.json': '{}',
      'storage/message/ses_1/msg_1.json': '{}',
      'storage/message/ses_1/msg_2.json': '{}',
      'storage/part/msg_1/prt_1.json': '{}',
      'storage/part/msg_2/prt_2.json': '{}',
      'storage/part/msg_2/prt_3.json': '{}',
      'conversations/c1/events/event-00001-b.json': '{}',
      'conversations/c1/events/event-00000-a.json': '{}',
    });
    const sources = findSourcesAt([folder], 0, new BadLines()).map(({ session, files }) => [
      session,
      files.map((file) => file.split('/').at(-1)),
    ]);
    expect(sources.toSorted()).toEqual([
      ['c1', ['event-00000-a.json', 'event-00001-b.json']],
      ['ses_1', ['ses_1.json', 'msg_1.json', 'prt_1.json', 'msg_2.json', 'prt_2.json', 'prt_3.json']],
    ]);
  });

  it('findSources: reads the messages of a Strands session in the order of their numbers', async () => {
    const agent = 'session_s1/agents/agent_default';
    const names = [1, 10, 2].map((id) => `message_${String(id)}.json`);
    const folder = await folderOf({
      'session_s1/session.json': '{}',
      ...Object.fromEntries(names.map((name) => [`${agent}/messages/${name}`, '{}'])),
    });
    const source = findSourcesAt([folder], 0, new BadLines()).find(({ session }) => session === 's1/default');
    expect(source?.files.map((file) => file.split('/').at(-1))).toEqual([
      'message_1.json',
      'message_2.json',
      'message_10.json',
    ]);
  });

  it('findSources: leaves out the messages that Cline shows if the history of the task is there', async () => {
    const folder = await folderOf({
      'tasks/1/ui_messages.json': '[]',
      'tasks/1/api_conversation_history.json': '[]',
      'tasks/2/ui_messages.json': '[]',
    });
    const found = findSourcesAt([folder], 0, new BadLines()).map(({ session, files }) => [
      session,
      files.map((file) => file.split('/').at(-1)),
    ]);
    expect(found.toSorted()).toEqual([
      ['1', ['api_conversation_history.json']],
      ['2', ['ui_messages.json']],
    ]);
  });

  it('findSourcesAt: takes all exports of OpenTelemetry together, since their traces can be in several', async () => {
    const spans = '{"resourceSpans":[]}';
    const folder = await folderOf({
      'session.jsonl': '{"type":"user","text":"\\"resourceSpans\\""}',
      'otel/traces.jsonl.gz': gzipSync(spans + ' '.repeat(10_000)),
      'otel/traces-1.jsonl': '[\n  {\n    "resource_spans": []\n  }\n]',
      'logs.json': '\ufeff{"resourceLogs":[]}',
      'aws.jsonl': '{"resource":{},"traceId":"1","spanId":"2"}',
    });
    const sources = findSourcesAt(
      [
        join(folder, 'logs.json'),
        join(folder, 'otel'),
        join(folder, 'aws.jsonl'),
        join(folder, 'session.jsonl'),
      ],
      0,
      new BadLines(),
    );
    expect(sources.map(({ files }) => files.map((file) => file.slice(folder.length + 1))).toSorted()).toEqual(
      [['logs.json', 'otel/traces-1.jsonl', 'otel/traces.jsonl.gz', 'aws.jsonl'], ['session.jsonl']],
    );
  });

  it('findSources: sorts by time and omits files before --since', async () => {
    const folder = await folderOf({ 'new.jsonl': '{}', 'old.jsonl': '{}', 'older.jsonl': '{}' });
    const at = (name: string, seconds: number) => utimes(join(folder, name), seconds, seconds);
    await Promise.all([at('new.jsonl', 3000), at('old.jsonl', 2000), at('older.jsonl', 1000)]);
    const names = (since: number) =>
      findSourcesAt([folder], since, new BadLines()).map(({ files }) => files[0]?.split('/').at(-1));
    expect(names(0)).toEqual(['older.jsonl', 'old.jsonl', 'new.jsonl']);
    expect(names(2_000_000)).toEqual(['old.jsonl', 'new.jsonl']);
  });

  it('findSourcesAt: reports a missing path', () => {
    expect(() => findSourcesAt(['/nowhere/at/all'], 0, new BadLines())).toThrow(
      '/nowhere/at/all: no such file or folder',
    );
  });
});
