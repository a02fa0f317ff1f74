import type { ScopeKind, SettingKey } from '@loopwatch/contract/api';
import { labelOf } from './value.ts';

/** A part of the settings page. */
export interface Section {
  /** Of its element: `/settings#budget` opens the page there. */
  readonly id: string;
  readonly title: string;
  /** The block in the configuration file; undefined: settings without a block. */
  readonly block: string | undefined;
  readonly keys: readonly SettingKey[];
}

const GENERAL = 'general';

/** Titles that say more than the name of the block. */
const titles: Readonly<Record<string, string>> = { [GENERAL]: 'General', per_tool: 'Tools' };

/** Settings by block, in the order of the schema; a map is a section of its own. */
export function sectionsOf(keys: readonly SettingKey[]): Section[] {
  const sections = new Map<string, SettingKey[]>();
  for (const key of keys) {
    const [block = ''] = key.path.split('.');
    const id = key.path === block && key.type !== 'map' ? GENERAL : block;
    sections.set(id, [...(sections.get(id) ?? []), key]);
  }
  return [...sections].map(([id, items]) => ({
    id,
    title: titles[id] ?? labelOf(id),
    block: id === GENERAL ? undefined : id,
    keys: items,
  }));
}

/** The settings that a scope can set. */
export function keysOf(keys: readonly SettingKey[], scope: string): SettingKey[] {
  const kind = scope.split(':')[0] as ScopeKind;
  return keys.filter(({ scopes }) => scopes.includes(kind));
}
