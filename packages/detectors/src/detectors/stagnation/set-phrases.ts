import type { Mark } from '../../calls/mark.ts';

/** A longer message says more than thanks. */
const MAX_UNITS = 200;
/** Remembered phrases of a conversation, and the agents that take part. */
const MAX_PHRASES = 64;
const MAX_AGENTS = 8;
/** A message with a new phrase takes back this many known ones. */
const PRICE_OF_NEW = 3;
/** Names of agents that stand for a person. */
const PERSON = /user|human|person|customer|client|operator|caller|patient|student/i;
/** What separates the phrases of a message. */
const BETWEEN = /[.,!?;:…\n。，！？；：、-]+/;

/** Messages that agents exchange in phrases that were all said before. */
export interface PhrasesState {
  readonly phrases: readonly string[];
  readonly agents: readonly string[];
  /** Messages in known phrases, less what new ones take back. */
  readonly score: number;
  readonly since: Mark | null;
}

export const NO_PHRASES: PhrasesState = { phrases: [], agents: [], score: 0, since: null };

/** The state after another message. Thanks, goodbyes and handovers use few phrases, in any order and by anyone. */
export function afterMessage(state: PhrasesState, agent: string, text: string, mark: Mark): PhrasesState {
  if (PERSON.test(agent) || text.length > MAX_UNITS) return NO_PHRASES;
  const fresh = phrasesOf(text).filter((phrase) => !state.phrases.includes(phrase));
  const score = Math.max(0, state.score + (fresh.length === 0 ? 1 : -PRICE_OF_NEW));
  return {
    phrases: fresh.length === 0 ? state.phrases : [...state.phrases, ...fresh].slice(-MAX_PHRASES),
    agents: state.agents.includes(agent) ? state.agents : [...state.agents, agent].slice(-MAX_AGENTS),
    score,
    since: score === 0 ? null : (state.since ?? mark),
  };
}

function phrasesOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(BETWEEN)
    .map((phrase) => phrase.replace(/\s+/g, ' ').trim())
    .filter((phrase) => phrase !== '');
}
