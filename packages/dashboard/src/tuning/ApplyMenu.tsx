import type { ScopeSettings, SettingKey } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { scopeQuery } from '../api/settings.ts';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useApply } from '../settings/use-apply.ts';
import { textOf } from '../settings/value.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Dialog } from '../ui/controls/Dialog.tsx';
import { Menu, MenuItem } from '../ui/controls/Menu.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import type { Values } from './config.ts';

interface Props {
  readonly keys: readonly SettingKey[];
  readonly moved: Values;
  /** Scopes besides the server: models of the loaded sessions, and selected sessions. */
  readonly scopes: readonly string[];
  /** Called once the thresholds are saved. */
  readonly onApplied: () => void;
}

/** Saves changed thresholds as settings: pick a scope, review, confirm. */
export function ApplyMenu({ keys, moved, scopes, onApplied }: Props) {
  const refusal = useRefusal();
  const [scope, setScope] = useState<string>();
  if (refusal !== undefined) {
    return (
      <Button small refused={refusal}>
        Apply to …
      </Button>
    );
  }
  return (
    <>
      <Menu
        trigger={
          <Button small tone="accent">
            Apply to …
            <Icon name="down" size={12} />
          </Button>
        }
      >
        {['server', ...scopes].map((one) => (
          <MenuItem key={one} onSelect={() => setScope(one)}>
            {scopeText(one)}
          </MenuItem>
        ))}
      </Menu>
      {scope !== undefined && (
        <Confirmation
          keys={keys}
          moved={moved}
          scope={scope}
          onClose={() => setScope(undefined)}
          onApplied={() => {
            setScope(undefined);
            onApplied();
          }}
        />
      )}
    </>
  );
}

interface ConfirmationProps extends Omit<Props, 'scopes'> {
  readonly scope: string;
  readonly onClose: () => void;
}

function Confirmation({ scope, onClose, ...rest }: ConfirmationProps) {
  const query = useQuery(scopeQuery(scope));
  return (
    <Dialog title={`Apply to ${scopeText(scope)}`} onClose={onClose}>
      <Async query={query} what="the settings" skeleton={<Skeleton height={90} what="the settings" />}>
        {(settings) => <Changes {...rest} settings={settings} />}
      </Async>
    </Dialog>
  );
}

interface ChangesProps extends Omit<Props, 'scopes'> {
  readonly settings: ScopeSettings;
}

function Changes({ keys, moved, settings, onApplied }: ChangesProps) {
  const { busy, apply } = useApply();
  const kind = settings.scope.split(':')[0] ?? '';
  const usable = new Set(
    keys.filter(({ scopes }) => scopes.some((one) => one === kind)).map(({ path }) => path),
  );
  const changes = Object.entries(moved).filter(([path]) => usable.has(path));
  const applyAll = async () => {
    if (await apply(settings, Object.fromEntries(changes))) onApplied();
  };
  if (changes.length === 0) return <p>None of the changed thresholds can be set in this scope.</p>;
  return (
    <>
      <ul className="p-0 mb-4 grid gap-2 list-none">
        {changes.map(([path, value]) => (
          <li className="flex flex-wrap justify-between gap-x-4 gap-y-0" key={path}>
            <code>{path}</code>
            <span>
              {textOf(settings.effective.find((one) => one.path === path)?.value) || 'off'} →{' '}
              <b>{textOf(value)}</b>
            </span>
          </li>
        ))}
      </ul>
      <Button tone="accent" disabled={busy} onClick={() => void applyAll()}>
        Apply {plural(changes.length, 'change')}
      </Button>
    </>
  );
}

function scopeText(scope: string): string {
  const [kind = '', ...name] = scope.split(':');
  return kind === 'server' ? 'the server' : `${kind} ${visibleText(name.join(':'))}`;
}
