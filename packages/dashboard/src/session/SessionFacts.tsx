import type { SessionDetail, SessionItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatCompact, formatDuration, formatOffset, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { chipClass } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Ago } from '../ui/layout/Time.tsx';

interface Props {
  /** The number of its sub-agents is part of the detail. */
  readonly session: SessionItem & Pick<SessionDetail, 'subAgents'>;
}

/** Id, place, model and volume of a session. */
export function SessionFacts({ session }: Props) {
  const { sessionId, parentSessionId, subAgents, tags, agent, model, backend, tenant } = session;
  const { tokens, usd, clockOffMs, characters } = session;
  const places = ['project', 'branch'].flatMap((name) => {
    const value = tags?.[name];
    return value === undefined ? [] : [{ name, value, tag: `${name}:${value}` }];
  });
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="flex items-center gap-0.5 min-w-0 text-sm text-ink3">
        <code className="truncate max-w-[44ch] font-mono font-450" title={sessionId}>
          {visibleText(sessionId)}
        </code>
        <CopyButton what="session id" text={sessionId} bare />
      </span>
      {parentSessionId !== undefined && (
        <Link
          className={chipClass}
          to="/sessions/$id"
          params={{ id: parentSessionId }}
          title="The session that started this one"
        >
          <span className="truncate min-w-0 max-w-[44ch]">started by {visibleText(parentSessionId)}</span>
        </Link>
      )}
      {subAgents !== undefined && (
        <Link
          className={chipClass}
          to="/sessions"
          search={{ parent: sessionId }}
          title="Sessions that this one started"
        >
          <span>{plural(subAgents, 'sub-agent')}</span>
        </Link>
      )}
      {places.map(({ name, value, tag }) => (
        <Link
          key={name}
          className={chipClass}
          to="/sessions"
          search={{ tag }}
          title={`Sessions of this ${name}`}
        >
          <span>{visibleText(value)}</span>
        </Link>
      ))}
      {agent !== null && (
        <Link className={chipClass} to="/sessions" search={{ agent }} title="Sessions of this agent">
          <span>{visibleText(agent)}</span>
        </Link>
      )}
      {model !== null && (
        <Link className={chipClass} to="/sessions" search={{ model }} title="Sessions with this model">
          <span>{visibleText(backend === null ? model : `${backend} / ${model}`)}</span>
        </Link>
      )}
      {tenant !== null && (
        <span className={chipClass}>
          <span>{visibleText(tenant)}</span>
        </span>
      )}
      {session.unknown !== undefined && (
        <span
          className={chipClass}
          title="Events of types that this version does not know; detectors skip them"
        >
          <span>{plural(session.unknown, 'unknown event')}</span>
        </span>
      )}
      {clockOffMs !== undefined && (
        <span
          className={chipClass}
          title="The clock of the events is wrong; the times on this page are those of processing"
        >
          <span>
            clock {formatOffset(Math.abs(clockOffMs))} {clockOffMs > 0 ? 'ahead' : 'behind'}
          </span>
        </span>
      )}
      <span className="basis-full text-sm text-ink2">
        {plural(session.prompts, 'prompt')}, {plural(session.turns, 'turn')},{' '}
        {plural(session.toolCalls, 'call')}
        {characters > 0 && `, ${formatCompact(characters)} characters`}
        {tokens !== null &&
          `, ${formatCompact(tokens.input)} tokens in and ${formatCompact(tokens.output)} out`}
        {tokens?.cached !== undefined && tokens.cached > 0 && ` (${formatCompact(tokens.cached)} cached)`}
        {usd != null && `, ${formatUsd(usd)}`}
        {tokens !== null && usd === null && model !== null && `, no price known for ${visibleText(model)}`};
        lasted {formatDuration(Math.max(0, session.lastEventAt - session.startedAt))}, last event{' '}
        <Ago time={session.lastEventAt} />
      </span>
    </div>
  );
}
