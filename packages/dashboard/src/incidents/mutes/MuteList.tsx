import { useQuery } from '@tanstack/react-query';
import { useRefusal } from '../../api/me.ts';
import { mutesQuery } from '../../api/mutes.ts';
import { plural } from '../../lib/format.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { MuteText } from './MuteText.tsx';
import { useCauseTriage } from './mute-cause.ts';

/** The active mutes by cause. */
export function MuteList() {
  const { data } = useQuery(mutesQuery);
  const { unmute } = useCauseTriage();
  const refused = useRefusal();
  if (data === undefined || data.items.length === 0) return null;
  return (
    <details className="text-ink2">
      <summary>{plural(data.items.length, 'muted cause')}</summary>
      <ul>
        {data.items.map((mute) => (
          <li className="py-0.75 flex items-center justify-between gap-3" key={mute.id}>
            <span>
              <MuteText mute={mute} />; {plural(mute.incidents, 'incident')}
            </span>
            <Button small refused={refused} onClick={() => unmute(mute)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
