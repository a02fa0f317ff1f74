import { expect, it } from 'vitest';
import { placeTags } from '../../src/record/place-tags.ts';
import { readAll } from '../read-all.ts';

it.each<[string, unknown, unknown, object | undefined]>([
  ['a folder and a branch', '/home/me/webshop/', 'feature/x', { project: 'webshop', branch: 'feature/x' }],
  ['a folder on Windows', 'C:\\work\\webshop', undefined, { project: 'webshop' }],
  ['no repository', '/srv/app', 'HEAD', { project: 'app' }],
  ['a branch alone', undefined, 'main', { branch: 'main' }],
  ['the root folder', '/', '', undefined],
  ['neither', 42, null, undefined],
])('the place of %s', (_, folder, branch, tags) => {
  expect(placeTags(folder, branch)).toEqual(tags);
});

const at = '2026-11-20T10:00:00Z';

it.each<[string, readonly object[]]>([
  [
    'claude-code',
    [
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u',
        timestamp: at,
        cwd: '/w/shop',
        gitBranch: 'main',
        message: { role: 'user', content: 'Fix it' },
      },
    ],
  ],
  [
    'codex',
    [
      { type: 'session_meta', timestamp: at, payload: { id: 's', cwd: '/w/shop', git: { branch: 'main' } } },
      {
        type: 'response_item',
        timestamp: at,
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] },
      },
    ],
  ],
])('%s tells the place with the prompt', (_, records) => {
  expect(readAll('auto', records).events).toContainEqual(
    expect.objectContaining({
      type: 'prompt_started',
      text: 'Fix it',
      tags: { project: 'shop', branch: 'main' },
    }),
  );
});
