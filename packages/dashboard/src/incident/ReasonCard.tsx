import { detectorFacts, type Incident, readEvidence, type ThresholdOrigin } from '@loopwatch/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { actionNames } from './action-names.ts';
import { ThresholdBar } from './ThresholdBar.tsx';
import { settingLink, thresholdText, toolSettingLink } from './threshold.ts';

/** Count against threshold, where the threshold comes from, and how the incident ended. */
export function ReasonCard({ incident }: { readonly incident: Incident }) {
  const { count, threshold, detector, windowMs, period, action, confidence, resolution } = incident;
  const { thresholdOrigin: origin } = incident;
  const scale = Math.max(count, threshold) * 1.06 || 1;
  const facts: (readonly [string, ReactNode])[] = [
    ['window', windowMs === null ? 'no limit' : formatDuration(windowMs)],
    ...(period > 1 ? ([['cycle', `${formatNumber(period)} steps`]] as const) : []),
    ['requested action', actionNames[action]],
    ['confidence', confidence.toFixed(2)],
    ['preset', incident.preset],
  ];
  return (
    <Card title={incident.kind === 'loop' ? 'Why this is a loop' : 'Why this is reported'}>
      {incident.arguments !== null && (
        <p className="mb-3 text-sm text-ink2 wrap-anywhere line-clamp-6">{visibleText(incident.reason)}</p>
      )}
      <p className="mb-1.5 flex justify-between gap-3">
        <span>{unitOf(incident)}</span>
        <b className="font-620 whitespace-nowrap">
          {formatNumber(count)}{' '}
          <small className="text-sm font-450 text-ink3">threshold {formatNumber(threshold)}</small>
        </b>
      </p>
      <div className="mb-3">
        <ThresholdBar detector={detector} value={count / scale} threshold={threshold / scale} />
      </div>
      {origin !== undefined && <Origin origin={origin} incident={incident} />}
      <Facts facts={facts} />
      {resolution !== null && (
        <p className="pt-3 mt-3 border-t text-sm text-ink2">Resolution: {endOf(resolution)}.</p>
      )}
    </Card>
  );
}

/** A batch of calls repeats as a step. */
function unitOf({ detector, evidence }: Incident): string {
  const batch = detector === 'tool-repeat' && readEvidence(detector, evidence)?.callsPerStep !== undefined;
  return batch ? 'same step of calls' : detectorFacts[detector].counts;
}

/** The last part of a resolution; the rest repeats the headline. */
function endOf(resolution: string): string {
  return resolution.slice(resolution.lastIndexOf('; ') + 1).trim();
}

/** Where the threshold comes from, with links to change it. */
function Origin({ origin, incident }: { readonly origin: ThresholdOrigin; readonly incident: Incident }) {
  const ofTool = toolSettingLink(origin, incident);
  return (
    <p className="mb-3 text-sm text-ink2 wrap-anywhere">
      {thresholdText(origin, incident)}.{' '}
      <Link
        className="truncate inline-block max-w-full align-bottom text-accent underline"
        to="/settings"
        search={{ ...settingLink(origin, incident) }}
        title={origin.setting}
      >
        Change
      </Link>
      {ofTool !== undefined && (
        <>
          {' · '}
          <Link
            className="truncate inline-block max-w-full align-bottom text-accent underline"
            to="/settings"
            search={{ ...ofTool }}
            title={ofTool.key}
          >
            Change for {visibleText(incident.tool?.name ?? '')}
          </Link>
        </>
      )}
    </p>
  );
}
