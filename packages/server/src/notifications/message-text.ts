import type { BreakdownAmounts, IncidentItem, WeeklyReport } from '@loopwatch/contract/api';
import { oneLine } from '@loopwatch/detectors/internal';
import { utcText } from '@loopwatch/platform';
import type { DigestMessage, IncidentMessage, NotificationMessage } from './message.ts';

/** The text of a message: a title and the most important facts. */
export interface MessageText {
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly text: string }[];
}

export function messageText(message: NotificationMessage): MessageText {
  const { title, facts } = textOf(message);
  return {
    title: oneLine(title),
    facts: facts.map(({ label, lines }) => ({ label, text: lines.map(oneLine).join('\n') })),
  };
}

/** A message whose texts may still contain line breaks: an agent's name could otherwise pretend to be another fact. */
interface RawText {
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly lines: readonly string[] }[];
}

function textOf(message: NotificationMessage): RawText {
  switch (message.type) {
    case 'test':
      return {
        title: `Test message to the receiver ${message.name}: delivery works`,
        facts: [],
      };
    case 'incidents.digest':
      return { title: digestTitle(message), facts: [] };
    case 'report.weekly':
      return reportText(message.report);
    default:
      return { title: titleOf(message), facts: factsOf(message.incident) };
  }
}

/** The message as plain text. */
export function plainText(message: NotificationMessage): string {
  const { title, facts } = messageText(message);
  return [title, ...facts.map(({ label, text }) => `${label}: ${text}`), message.url].join('\n');
}

const subjects = {
  loop: { 'incident.opened': 'is looping', 'incident.escalated': 'is still looping' },
  limit: { 'incident.opened': 'reached a limit', 'incident.escalated': 'is still at its limit' },
  outage: { 'incident.opened': 'sees an outage', 'incident.escalated': 'still sees an outage' },
} as const;
const endings = {
  loop: { recovered: 'recovered from a loop', ended: 'ended in a loop', disabled: 'is no longer watched' },
  limit: {
    recovered: 'is below its limit again',
    ended: 'ended at a limit',
    disabled: 'is no longer watched',
  },
  outage: {
    recovered: 'recovered from an outage',
    ended: 'ended in an outage',
    disabled: 'is no longer watched',
  },
} as const;

function titleOf({ type, incident }: IncidentMessage): string {
  const { agent, kind, outcome, title } = incident;
  const what = type === 'incident.resolved' ? endings[kind][outcome ?? 'ended'] : subjects[kind][type];
  return `${agent ?? 'An agent'} ${what}: ${title}`;
}

function digestTitle({ count, open, since, at }: DigestMessage): string {
  const period = at - since <= 90_000 ? 'in the last minute' : `since ${utcText(since)}`;
  const still = open === count ? '' : `, ${whole.format(open)} of them still open`;
  return `${whole.format(count)} more ${count === 1 ? 'incident' : 'incidents'} ${period}${still}`;
}

/** Verdicts request an action; a gateway, a hook or the agent carries it out. */
const actions: Readonly<Record<IncidentItem['action'], string>> = {
  none: 'None',
  warn: 'Warning: reported only, the agent was not stopped',
  chance: 'One more chance: the agent gets guidance to try something else',
  block: 'Block: the call must not run again (enforced by a gateway or hook, if there is one)',
};

function factsOf(incident: IncidentItem): RawText['facts'] {
  const { agent, model, reason, sessionId, action, cost, began, openedAt, state } = incident;
  const since = began?.time ?? openedAt;
  return [
    { label: 'Agent', lines: [[agent ?? 'unnamed', model].filter((name) => name !== null).join(', ')] },
    { label: 'Reason', lines: [reason] },
    { label: 'Since', lines: [`${utcText(since)} (${duration(cost.ms)})`] },
    { label: state === 'resolved' ? 'Total cost' : 'Cost so far', lines: [costText(cost)] },
    { label: 'Action', lines: [actions[action]] },
    { label: 'Session', lines: [sessionId] },
  ];
}

/** What a reader decides by: how much, how it changed, and where to look. */
function reportText({ week, total, worse, loops }: WeeklyReport): RawText {
  const { activity, previous } = total;
  const was = previous === undefined || previous.activity.sessions === 0 ? '' : `, was ${rateText(previous)}`;
  const share = total.usd === null || !activity.usd ? '' : `, ${percent(total.usd / activity.usd)} of spend`;
  const list = (lines: readonly string[]) => (lines.length === 0 ? ['None'] : lines);
  return {
    title: `Week ${week}: ${counted(total.incidents, 'loop')} in ${counted(activity.sessions, 'session')}`,
    facts: [
      { label: 'Loops per 100 sessions', lines: [`${rateText(total)}${was}`] },
      { label: 'Spend', lines: [usdText(activity.usd)] },
      { label: 'Wasted', lines: [`${usdText(total.usd)}${share}`] },
      {
        label: 'Agents that got worse',
        lines: list(
          worse.map(
            (one) => `${one.value}: ${rateText(one)} per 100 sessions, was ${rateText(one.previous)}`,
          ),
        ),
      },
      {
        label: 'Most expensive loops',
        lines: list(
          loops.map(({ cost, agent, title }) => `${usdText(cost.usd)} ${agent ?? 'unnamed'}: ${title}`),
        ),
      },
    ],
  };
}

function rateText(amounts: BreakdownAmounts | undefined): string {
  if (amounts === undefined || amounts.activity.sessions === 0) return 'unknown';
  return tenths.format((100 * amounts.incidents) / amounts.activity.sessions);
}

function usdText(usd: number | null | undefined): string {
  if (usd == null) return 'unknown';
  return usd > 0 && usd < 0.01 ? 'less than $0.01' : dollars.format(usd);
}

function percent(share: number): string {
  return `${whole.format(100 * Math.min(1, share))}%`;
}

const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

function costText({ usd, tokens, calls, turns }: IncidentItem['cost']): string {
  const parts = [
    usd == null ? undefined : usdText(usd),
    tokens === null ? undefined : counted(tokens, 'token'),
    counted(calls, 'call'),
    counted(turns, 'turn'),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function counted(count: number, noun: string): string {
  return `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
