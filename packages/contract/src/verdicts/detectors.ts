/**
 * Static facts about each detector: ids, titles, colors and settings blocks. The schemas of settings and evidence are
 * keyed by the same ids. This file has no schema, so that pages can import it without a validator.
 */

interface DetectorFacts {
  readonly title: string;
  readonly description: string;
  readonly maturity: 'experimental' | 'stable';
  /** What its verdicts count, as shown after the number. */
  readonly counts: string;
  /**
   * Color in the light and dark theme, told apart with any common color blindness: a test checks the distances. Red is reserved
   * for open incidents, green for recovered ones.
   */
  readonly color: string;
  /** Its settings block, and what each key means. */
  readonly block: string;
  readonly settings: Texts;
}

interface Texts {
  readonly [key: string]: string | Texts;
}

const off = 'Off: disables this detector.';
const modeText =
  'Action when a loop is found. break means block; chance and chance_then_break mean chance_then_block.';

/** Apply to all tools and, under `per_tool`, to single ones. */
export const toolCallLimitTexts = {
  enabled: off,
  max_repeats: 'Identical calls before a loop is reported.',
  ttl_seconds: 'Age limit of the calls that count; null: no limit.',
  mode: modeText,
  similarity_threshold: 'Minimum similarity of two calls; setting it selects similar matching.',
  similarity: {
    about: 'Similar matching; setting this block selects it.',
    algorithm: 'levenshtein: 1 - edit distance / length of the longer text. jaccard: over words.',
    threshold: 'Minimum similarity of two calls; takes precedence over similarity_threshold.',
    normalize_whitespace: 'On: a run of white space counts as one space.',
    ignore_case: 'On: upper and lower case are equal.',
  },
};

const textLoopTexts = {
  enabled: off,
  window: 'Length of the compared passages, in UTF-16 code units.',
  min_repeats: 'Occurrences of the same passage before a loop is reported.',
  max_distance: 'Maximum mean distance between those occurrences, in UTF-16 code units.',
  mode: modeText,
};

export const detectorFacts = {
  'tool-repeat': {
    title: 'Repeated tool call',
    description: 'The agent repeatedly calls the same tool with the same, or nearly the same, arguments.',
    maturity: 'stable',
    counts: 'same call',
    color: 'light-dark(oklch(52% 0.2 355), oklch(58% 0.22 355))',
    block: 'tool_call_loop',
    settings: {
      about: 'tool-repeat: the same call is repeated.',
      ...toolCallLimitTexts,
      error_messages: {
        about: 'Custom messages that replace the default ones. {tool}, {count} and {reason} are replaced.',
        block: 'Message when a call is blocked.',
        warning: 'Message of a warning.',
      },
      per_tool: { about: 'Limits by tool name.', each: toolCallLimitTexts },
    },
  },
  'tool-cycle': {
    title: 'Cycle of tool calls',
    description: 'The agent repeats the same sequence of calls, and the results do not change.',
    maturity: 'stable',
    counts: 'same cycle of steps',
    color: 'light-dark(oklch(64% 0.11 42), oklch(73% 0.13 46))',
    block: 'tool_cycle',
    settings: {
      about: 'tool-cycle: the same sequence of calls is repeated.',
      enabled: off,
      max_period: 'Maximum steps of a cycle.',
      min_repeats: 'Repetitions of a cycle before a loop is reported.',
      mode: modeText,
    },
  },
  stagnation: {
    title: 'No progress',
    description: 'The agent keeps calling tools but learns nothing new.',
    maturity: 'stable',
    counts: 'steps without progress',
    color: 'light-dark(oklch(65% 0.13 102), oklch(86% 0.13 90))',
    block: 'stagnation',
    settings: {
      about: 'stagnation: calls continue without progress.',
      enabled: off,
      same_error:
        'Steps that fail with the same error; up to two read-only calls may come between failures of one tool. One less for the same answer to a rephrased query.',
      same_failure:
        'Times the same call fails in the same way, with only read-only calls in between; also applies to changes rejected with the same error.',
      same_result: 'Times a read-only call returns the same result, with only read-only steps in between.',
      same_answer:
        'Consecutive steps in which a read-only tool gives the same answer regardless of its arguments.',
      same_prompt: 'Times a harness sends the same prompt without any progress.',
      nothing_new: 'Consecutive steps whose calls and results are all known already.',
      mode: modeText,
    },
  },
  'content-repeat': {
    title: 'Repeated text',
    description: 'The response repeats the same passage over and over, close together.',
    maturity: 'stable',
    counts: 'same text in the answer',
    color: 'light-dark(oklch(46% 0.14 255), oklch(56% 0.13 271))',
    block: 'content_loop',
    settings: { about: 'content-repeat: the response repeats a passage.', ...textLoopTexts },
  },
  'thought-repeat': {
    title: 'Repeated reasoning',
    description: 'The reasoning repeats the same passage over and over, close together.',
    maturity: 'stable',
    counts: 'same text in the reasoning',
    color: 'light-dark(oklch(58% 0.1 223), oklch(87% 0.09 219))',
    block: 'thought_loop',
    settings: { about: 'thought-repeat: the reasoning repeats a passage.', ...textLoopTexts },
  },
  semantic: {
    title: 'Judged as a loop',
    description:
      'A model that reviews the latest turns is confident that the agent makes no progress on the request.',
    maturity: 'experimental',
    counts: 'checks that saw a loop',
    color: 'light-dark(oklch(62% 0.21 297), oklch(69% 0.13 290))',
    block: 'semantic',
    settings: {
      about: 'semantic: a model reviews the latest turns.',
      enabled: off,
      mode: modeText,
      after_turns: 'Turn of a prompt at which the first check runs.',
      interval:
        'Turns between checks until the model has answered once; its confidence then sets the interval.',
      history_turns: 'Number of latest turns sent to the model.',
      confidence: 'Confidence above which a loop is reported.',
    },
  },
  'tool-limit': {
    title: 'Tool call limit',
    description: 'The agent has reached the number of turns with tool calls allowed for one prompt.',
    maturity: 'stable',
    counts: 'turns with tool calls',
    color: 'light-dark(oklch(65% 0.02 254), oklch(74% 0.03 259))',
    block: 'tool_call_limit',
    settings: {
      about: 'tool-limit: limits turns with tool calls; on as soon as a key is set.',
      enabled: off,
      max_turns: 'Maximum turns with tool calls per prompt. Default: 3.',
    },
  },
  'turn-limit': {
    title: 'Turn request limit',
    description: 'The agent makes more model requests than allowed for one prompt.',
    maturity: 'stable',
    counts: 'model requests',
    color: 'light-dark(oklch(48% 0.01 278), oklch(60% 0 242))',
    block: 'turn_requests',
    settings: {
      about: 'turn-limit: limits model requests; on as soon as a key is set.',
      enabled: off,
      max_turn_requests: 'Maximum model requests per prompt. Default: 10; 5 is conservative, 20 permissive.',
    },
  },
  outage: {
    title: 'Outage',
    description:
      'Calls keep failing with rate limits, timeouts or server errors, which the agent does not cause.',
    maturity: 'stable',
    counts: 'failures in a row',
    color: 'light-dark(oklch(33% 0 280), oklch(90% 0 243))',
    block: 'outage',
    settings: {
      about: 'outage: a service that the tools depend on is down.',
      enabled: off,
      min_failures: 'Consecutive timeouts, rate limits and server errors before an outage is reported.',
    },
  },
  budget: {
    title: 'Budget',
    description: 'The budget of tokens, dollars, tool calls or minutes is exhausted, or nearly so.',
    maturity: 'stable',
    counts: 'percent of the budget',
    color: 'light-dark(oklch(51% 0.09 89), oklch(75% 0.01 89))',
    block: 'budget',
    settings: {
      about: 'budget: warns at 80%, on as soon as a limit is set. A new prompt does not reset it.',
      enabled: off,
      tokens: 'Maximum input and output tokens.',
      usd: 'Maximum US dollars, by the known prices.',
      calls: 'Maximum tool calls.',
      minutes: 'Maximum minutes since the first event; over several sessions, their sum.',
      per: 'Scope of the budget: each session, or one day (UTC) of each agent, each tenant or all sessions together.',
    },
  },
} as const satisfies Record<string, DetectorFacts>;

export type DetectorId = keyof typeof detectorFacts;

/** Tables and charts list detectors in this order. */
export const detectorIds = Object.keys(detectorFacts) as [DetectorId, ...DetectorId[]];

const otherKinds: Partial<Record<DetectorId, 'limit' | 'outage'>> = {
  'tool-limit': 'limit',
  'turn-limit': 'limit',
  budget: 'limit',
  outage: 'outage',
};

/** What a detector finds. Limits and outages are no loops, and nothing is wasted in them. */
export function detectorKind(detector: DetectorId): 'loop' | 'limit' | 'outage' {
  return otherKinds[detector] ?? 'loop';
}
