import {
  detectorFacts,
  type Incident,
  type IncidentStep,
  readEvidence,
  type ThresholdOrigin,
} from '@loopwatch/contract';
import type { IncidentDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDuration, formatExact, formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GrafanaLink, RecordLink } from '../page/Elsewhere.tsx';
import { recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { Ago, Clock } from '../ui/layout/Time.tsx';
import styles from './facts.module.css';
import { beginningOf } from './session-marks.ts';
import { settingLink, thresholdText, toolSettingLink } from './threshold.ts';

/** The cards beside the evidence: numbers, history, guidance, and where the records lie. */

const actions: Record<Incident['action'], string> = {
  none: 'none',
  warn: 'warned',
  chance: 'warned once',
  block: 'blocked',
};

/** Of a batch, what repeats is a step. */
function countedIn({ detector, evidence }: Incident): string {
  const batch = detector === 'tool-repeat' && readEvidence(detector, evidence)?.callsPerStep !== undefined;
  return batch ? 'same step of calls' : detectorFacts[detector].counts;
}

export function Why({ incident }: { readonly incident: Incident }) {
  const { count, threshold, detector, windowMs, period, action, confidence, resolution } = incident;
  const { thresholdOrigin: origin } = incident;
  const scale = Math.max(count, threshold) * 1.06 || 1;
  const percent = (value: number) => `${String((100 * value) / scale)}%`;
  const facts: (readonly [string, ReactNode])[] = [
    ['window', windowMs === null ? 'no limit' : formatDuration(windowMs)],
    ...(period > 1 ? ([['cycle', `${formatNumber(period)} steps`]] as const) : []),
    ['action', actions[action]],
    ['confidence', confidence.toFixed(2)],
    ['preset', incident.preset],
  ];
  return (
    <Card title={incident.kind === 'loop' ? 'Why this is a loop' : 'Why this is reported'}>
      <p className={styles['measure']}>
        <span>{countedIn(incident)}</span>
        <b>
          {formatNumber(count)} <small>threshold {formatNumber(threshold)}</small>
        </b>
      </p>
      <div className={styles['bar']} data-detector={detector} aria-hidden="true">
        <u style={{ width: percent(count) }} />
        <s style={{ left: percent(threshold) }} />
      </div>
      {origin !== undefined && <Origin origin={origin} incident={incident} />}
      <Facts facts={facts} />
      {resolution !== null && <p className={styles['resolution']}>How it ended: {endOf(resolution)}.</p>}
    </Card>
  );
}

/** The last part of a resolution; the others say again what the headline says. */
function endOf(resolution: string): string {
  return resolution.slice(resolution.lastIndexOf('; ') + 1).trim();
}

/** Why the threshold is what it is, and the way to change it. */
function Origin({ origin, incident }: { readonly origin: ThresholdOrigin; readonly incident: Incident }) {
  const ofTool = toolSettingLink(origin, incident);
  return (
    <p className={styles['origin']}>
      Threshold {formatNumber(incident.threshold)}: {thresholdText(origin, incident)}.{' '}
      <Link to="/settings" search={{ ...settingLink(origin, incident) }} title={origin.setting}>
        Change
      </Link>
      {ofTool !== undefined && (
        <>
          {' · '}
          <Link to="/settings" search={{ ...ofTool }} title={ofTool.key}>
            Change for {visibleText(incident.tool?.name ?? '')}
          </Link>
        </>
      )}
    </p>
  );
}

const phases = { opened: 'Opened', escalated: 'Escalated', resolved: 'Resolved' } as const;

export function Steps({ incident }: { readonly incident: IncidentDetail }) {
  const { verdicts, revision } = incident;
  const began = beginningOf(incident).time;
  const note =
    revision > verdicts.length ? `the first and the latest of ${formatNumber(revision)}` : undefined;
  return (
    <Card title="What happened when" note={note}>
      <ol className={styles['steps']}>
        <li data-phase="began">
          <b>Began</b>
          <span>
            <Clock time={began} />
          </span>
        </li>
        {verdicts.map((step, index) => (
          <li key={step.id} data-phase={step.phase === 'resolved' ? incident.outcome : step.phase}>
            <b>
              {phases[step.phase]}
              <small>{stepText(step, index, incident)}</small>
            </b>
            <span>
              <Clock time={step.time} />
              <small>+{formatDuration(Math.max(0, step.time - began))}</small>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function stepText(
  { phase, action, count }: IncidentStep,
  index: number,
  { outcome, verdicts }: Incident,
): string {
  if (phase === 'resolved') return outcome === 'disabled' ? 'switched off' : (outcome ?? '');
  const before = verdicts[index - 1];
  // What came right behind the warning was under way already.
  const despite = before?.action === 'chance' && action === 'block';
  const at = despite && before.count === count ? 'it did not stop' : `at ${formatNumber(count)}`;
  return `${at}${action === 'none' ? '' : `, ${actions[action]}`}`;
}

export function Guidance({ text }: { readonly text: string }) {
  return (
    <Card title="Guidance for the model" note="as it was given, at that time">
      <blockquote className={styles['guidance']}>{visibleText(text.trimEnd())}</blockquote>
      <div className={styles['under']}>
        <CopyButton what="guidance" text={text} />
      </div>
    </Card>
  );
}

export function Record({ incident }: { readonly incident: IncidentDetail }) {
  const { id, sessionId, promptId, source, configHash, detectedAt, tool, agentVersion, tags } = incident;
  const facts: (readonly [string, ReactNode])[] = [
    ['incident', <Id key="i" text={id} what="incident id" />],
    ['session', <Id key="s" text={sessionId} what="session id" />],
  ];
  if (promptId !== null) facts.push(['prompt', <Id key="p" text={promptId} what="prompt id" />]);
  if (tool !== null) facts.push(['tool', <Id key="t" text={tool.name} what="tool name" />]);
  if (agentVersion != null)
    facts.push(['version', <Same key="v" search={{ agentVersion }} text={agentVersion} />]);
  for (const [name, value] of Object.entries(tags ?? {})) {
    const tag = `${name}:${value}`;
    facts.push(['tag', <Same key={tag} search={{ tag }} text={tag} />]);
  }
  if (source !== null) {
    const { topic, partition, firstOffset, offset } = source;
    const records = firstOffset === offset ? { record: offset } : { first: firstOffset, latest: offset };
    for (const [name, at] of Object.entries(records)) {
      const place = { topic, partition, offset: at };
      facts.push([
        name,
        <span key={name} className={styles['place']}>
          <Id text={recordName(place)} what={`topic, partition and offset of the ${name} record`} />
          <RecordLink place={place} />
        </span>,
      ]);
    }
  }
  facts.push(
    ['config', <Id key="c" text={configHash} what="config hash" />],
    [
      'detected',
      <span key="d" title={formatExact(detectedAt)}>
        <Ago time={detectedAt} />
      </span>,
    ],
  );
  const around = { from: beginningOf(incident).time - AROUND_MS, to: incident.lastAt + AROUND_MS };
  return (
    <Card title="Record">
      <Facts facts={facts} />
      <p className={styles['elsewhere']}>
        <GrafanaLink {...around} />
      </p>
    </Card>
  );
}

/** What is shown before and behind an incident elsewhere. */
const AROUND_MS = 15 * 60_000;

/** Leads to the incidents that have it too. */
function Same({ search, text }: { readonly search: Record<string, string>; readonly text: string }) {
  return (
    <Link to="/incidents" search={search} activeProps={{}}>
      {visibleText(text)}
    </Link>
  );
}

function Id({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className={styles['id']}>
      <code title={text}>{visibleText(text)}</code>
      <CopyButton bare what={what} text={text} />
    </span>
  );
}
