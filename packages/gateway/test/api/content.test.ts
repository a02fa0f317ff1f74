import { describe, expect, it } from 'vitest';
import { editUserTexts } from '../../src/api/content.ts';

const withoutCommands = (text: string) => text.replaceAll(/!\/\S+/g, '').trim();
const isOwn = (text: string) => text === 'Done.';
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content?: unknown) => ({ role: 'assistant', ...(content !== undefined && { content }) });

describe('user texts', () => {
  it.each([
    ['are edited', [user('Go. !/help')], [user('Go.')]],
    ['are edited part by part', [user([{ text: '!/help' }, { text: 'Go.' }])], [user([{ text: 'Go.' }])]],
    [
      'are removed if empty after editing, with the gateway’s reply',
      [user('!/help'), assistant('Done.'), user('Go.')],
      [user('Go.')],
    ],
    [
      'are removed without a reply that is not the gateway’s',
      [user('!/help'), assistant('Sure.'), user('Go.')],
      [assistant('Sure.'), user('Go.')],
    ],
    [
      'leave a reply that follows an unchanged text',
      [user('Go.'), assistant('Done.')],
      [user('Go.'), assistant('Done.')],
    ],
    ['leave a reply without content', [user('Go.'), assistant()], [user('Go.'), assistant()]],
    ['are the only edited messages', [assistant('!/help')], [assistant('!/help')]],
  ])('%s', (_name, messages, edited) => {
    expect(editUserTexts(messages, withoutCommands, isOwn)).toEqual(edited);
  });

  it('user texts: unchanged contents are the same objects', () => {
    const messages = [user('Go.'), assistant('Yes.')];
    expect(editUserTexts(messages, withoutCommands, isOwn).every((one, i) => one === messages[i])).toBe(true);
  });
});
