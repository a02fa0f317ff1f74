import { type IncidentDetail, isHistory, isWrongClock } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatExact } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GrafanaLink } from '../page/ExternalLinks.tsx';
import { CopyId, RecordPosition } from '../session/RecordPosition.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { loopStart } from './session-marks.ts';

/** Margin around the incident in Grafana. */
const AROUND_MS = 15 * 60_000;

/** Ids, tags, log position and configuration of the incident. */
export function DetailsCard({ incident }: { readonly incident: IncidentDetail }) {
  const { id, sessionId, promptId, source, configHash, detectedAt, tool, agentVersion, tags } = incident;
  const facts: (readonly [string, ReactNode])[] = [
    ['incident', <CopyId key="i" text={id} what="incident id" />],
    ['session', <CopyId key="s" text={sessionId} what="session id" />],
  ];
  if (promptId !== null) facts.push(['prompt', <CopyId key="p" text={promptId} what="prompt id" />]);
  if (tool !== null) facts.push(['tool', <CopyId key="t" text={tool.name} what="tool name" />]);
  if (agentVersion != null)
    facts.push(['version', <FilterLink key="v" search={{ agentVersion }} text={agentVersion} />]);
  for (const [name, value] of Object.entries(tags ?? {})) {
    const tag = `${name}:${value}`;
    facts.push(['tag', <FilterLink key={tag} search={{ tag }} text={tag} />]);
  }
  if (source !== null) {
    const { topic, partition, firstOffset, offset } = source;
    const records =
      firstOffset === offset ? { record: offset } : { 'first record': firstOffset, 'latest record': offset };
    for (const [name, at] of Object.entries(records)) {
      const position = { topic, partition, offset: at };
      facts.push([name, <RecordPosition key={name} position={position} />]);
    }
  }
  facts.push(
    ['config', <CopyId key="c" text={configHash} what="config hash" />],
    [
      'detected',
      <span key="d" title={formatExact(detectedAt)}>
        <Ago time={detectedAt} />
      </span>,
    ],
  );
  const [first] = incident.verdicts;
  if (first !== undefined && isHistory(first.time, first.detectedAt))
    facts.push(['imported', <Ago key="i" time={first.detectedAt} />]);
  if (first !== undefined && isWrongClock(first.time, first.detectedAt))
    facts.push([
      'clock',
      <span key="w" className="text-warm" title="Times on this page are those of processing">
        wrong: {formatExact(first.time)}
      </span>,
    ]);
  const around = { from: loopStart(incident).time - AROUND_MS, to: incident.lastAt + AROUND_MS };
  return (
    <Card title="Details">
      <Facts facts={facts} />
      <p className="mt-2 text-right empty:hidden">
        <GrafanaLink {...around} />
      </p>
    </Card>
  );
}

/** Links to the incidents with the same value. */
function FilterLink({ search, text }: { readonly search: Record<string, string>; readonly text: string }) {
  return (
    <Link to="/incidents" search={search} activeProps={{}}>
      {visibleText(text)}
    </Link>
  );
}
