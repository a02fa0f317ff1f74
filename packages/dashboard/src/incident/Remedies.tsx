import type { Remedy } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { remediesQuery } from '../api/remedies.ts';
import { visibleText } from '../lib/visible-text.ts';
import { writeSet } from '../settings/address.ts';
import { Card } from '../ui/layout/Card.tsx';
import styles from './Remedies.module.css';

/** The settings under which a false positive would not have been found, each filled in for its scopes. */
export function Remedies({ id }: { readonly id: string }) {
  const { data } = useQuery(remediesQuery(id));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Card title="Settings that avoid it" note="filled in, not yet saved">
      <ul className={styles['list']}>
        {data.items.map((remedy) => (
          <li key={remedy.text}>
            {visibleText(remedy.text)}
            <span>
              {remedy.scopes.map((scope) => (
                <RemedyLink key={scope} remedy={remedy} scope={scope} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RemedyLink({ remedy: { path, value }, scope }: { readonly remedy: Remedy; readonly scope: string }) {
  const [kind] = scope.split(':', 1);
  return (
    <>
      {' '}
      <Link
        to="/settings"
        search={{ ...(scope !== 'server' && { scope }), key: path, set: writeSet({ [path]: value }) }}
        title={`${path}, ${scope}`}
      >
        {kind}
      </Link>
    </>
  );
}
