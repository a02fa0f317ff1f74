/**
 * What there is to know about each detector without running it. Ids, titles, colours and switches are read from here, wherever
 * they are needed; schemas of settings and evidence are keyed by the same ids. No schema stands here, so that a page can
 * read it without a validator.
 */

interface DetectorFacts {
  readonly title: string;
  readonly description: string;
  readonly maturity: 'experimental' | 'stable';
  /** What its verdicts count, as a person reads it beside the number. */
  readonly counts: string;
  /** Its hue on a light and a dark page. Red is left to what is open, green to what recovered. */
  readonly colour: string;
  /** The block of settings that belongs to it, and what each key means. */
  readonly block: string;
  readonly settings: Texts;
}

interface Texts {
  readonly [key: string]: string | Texts;
}

const off = 'false: this detector is skipped.';
const modeText = 'What a loop leads to. break is block; chance and chance_then_break are chance_then_block.';

/** Of all tools, and of single ones. */
export const toolCallLimitTexts = {
  enabled: off,
  max_repeats: 'Identical calls before a loop is reported.',
  ttl_seconds: 'Only calls this recent count; null: no limit.',
  mode: modeText,
  similarity_threshold: 'Selects similar matching.',
  similarity: {
    about: 'Selects similar matching.',
    algorithm: 'levenshtein: 1 - distance / longer length. jaccard: over word tokens.',
    threshold: 'Wins over similarity_threshold.',
    normalize_whitespace: 'Runs of white space count as one space.',
    ignore_case: 'Upper and lower case are the same.',
  },
};

const textLoopTexts = {
  enabled: off,
  window: 'Length of the compared piece, in UTF-16 code units.',
  min_repeats: 'Occurrences of the same piece until it is a loop.',
  max_distance: 'Mean distance of those occurrences, at most, in units.',
  mode: modeText,
};

export const detectorFacts = {
  'tool-repeat': {
    title: 'Repeated tool call',
    description:
      'The agent calls the same tool with the same, or nearly the same, arguments again and again.',
    maturity: 'stable',
    counts: 'same call',
    colour: 'light-dark(oklch(55% 0.2 345), oklch(73% 0.17 345))',
    block: 'tool_call_loop',
    settings: {
      about: 'tool-repeat: the same call again and again.',
      ...toolCallLimitTexts,
      error_messages: {
        about: "Own texts in place of Loopwatch's.",
        block: 'Sent when a call is blocked.',
        warning: 'Sent with a warning.',
      },
      per_tool: { about: 'By tool name.', each: toolCallLimitTexts },
    },
  },
  'tool-cycle': {
    title: 'Cycle of tool calls',
    description:
      'The agent goes through the same sequence of calls again and again, and the results do not change.',
    maturity: 'stable',
    counts: 'same cycle of steps',
    colour: 'light-dark(oklch(62% 0.16 50), oklch(76% 0.14 52))',
    block: 'tool_cycle',
    settings: {
      about: 'tool-cycle: the same sequence of calls again and again.',
      enabled: off,
      max_period: 'Steps of the longest cycle that is looked for.',
      min_repeats: 'Times the cycle is gone through until it is a loop.',
      mode: modeText,
    },
  },
  stagnation: {
    title: 'No progress',
    description: 'The agent goes on calling tools, but nothing comes of it that it did not know.',
    maturity: 'stable',
    counts: 'steps without progress',
    colour: 'light-dark(oklch(66% 0.13 85), oklch(82% 0.13 88))',
    block: 'stagnation',
    settings: {
      about: 'stagnation: calls go on, but nothing comes of them.',
      enabled: off,
      same_error:
        'Steps that fail with the same error, with up to two looks between failures of one tool; one less for the same answer to a reworded question.',
      same_failure:
        'Times the same call fails the same way, with other calls in between that change nothing; also rejected changes with the same error.',
      same_result:
        'Times a call that changes nothing brings the same result, with other steps in between that change nothing either.',
      same_answer: 'Steps in a row in which one reading tool gives the same answer, whatever its arguments.',
      same_prompt: 'Times a harness sends the same prompt although nothing comes of it.',
      nothing_new: 'Steps in a row whose calls and results were known.',
      mode: modeText,
    },
  },
  'content-repeat': {
    title: 'Repeated text',
    description: 'The answer repeats a piece of text again and again, close together.',
    maturity: 'stable',
    counts: 'same text in the answer',
    colour: 'light-dark(oklch(54% 0.17 262), oklch(71% 0.13 262))',
    block: 'content_loop',
    settings: { about: 'content-repeat: the answer repeats a text.', ...textLoopTexts },
  },
  'thought-repeat': {
    title: 'Repeated reasoning',
    description: 'The reasoning repeats a piece of text again and again, close together.',
    maturity: 'stable',
    counts: 'same text in the reasoning',
    colour: 'light-dark(oklch(60% 0.11 220), oklch(77% 0.1 220))',
    block: 'thought_loop',
    settings: { about: 'thought-repeat: the reasoning repeats a text.', ...textLoopTexts },
  },
  semantic: {
    title: 'Judged as a loop',
    description: 'A model that reads the latest turns is sure that the agent gets no nearer to its request.',
    maturity: 'experimental',
    counts: 'checks that saw a loop',
    colour: 'light-dark(oklch(53% 0.18 302), oklch(72% 0.15 302))',
    block: 'semantic',
    settings: {
      about: 'semantic: a model judges the latest turns.',
      enabled: off,
      mode: modeText,
      after_turns: 'The first check comes with this turn of a prompt.',
      interval: 'Turns between two checks until a model has answered.',
      history_turns: 'Latest turns that the model is shown.',
      confidence: 'A confidence above this is a loop.',
    },
  },
  'tool-limit': {
    title: 'Tool call limit',
    description: 'The agent has called tools in as many turns of one prompt as it may.',
    maturity: 'stable',
    counts: 'turns with tool calls',
    colour: 'light-dark(oklch(52% 0.04 258), oklch(74% 0.03 258))',
    block: 'tool_call_limit',
    settings: {
      about: 'tool-limit: turns with tool calls; on as soon as a key is set.',
      enabled: off,
      max_turns: 'Turns with tool calls in one prompt. Default: 3.',
    },
  },
  'turn-limit': {
    title: 'Turn request limit',
    description: 'The agent asks the model more often within one prompt than it may.',
    maturity: 'stable',
    counts: 'model requests',
    colour: 'light-dark(oklch(60% 0.03 258), oklch(66% 0.03 258))',
    block: 'turn_requests',
    settings: {
      about: 'turn-limit: model requests; on as soon as a key is set.',
      enabled: off,
      max_turn_requests: 'Model requests in one prompt. Default: 10; 5 is conservative, 20 permissive.',
    },
  },
  outage: {
    title: 'Outage',
    description:
      'Calls fail again and again with rate limits, timeouts or server errors: not the agent’s doing.',
    maturity: 'stable',
    counts: 'failures in a row',
    colour: 'light-dark(oklch(38% 0.03 258), oklch(85% 0.02 258))',
    block: 'outage',
    settings: {
      about: 'outage: what the tools depend on is down.',
      enabled: off,
      min_failures: 'Time-outs, rate limits and server errors in a row.',
    },
  },
  budget: {
    title: 'Budget',
    description: 'What may be used is used up, or nearly so: tokens, dollars, tool calls or minutes.',
    maturity: 'stable',
    counts: 'percent of the budget',
    colour: 'light-dark(oklch(46% 0.07 70), oklch(72% 0.06 75))',
    block: 'budget',
    settings: {
      about: 'budget: warned of at 80 %; on as soon as a limit is set. No prompt gives anything back.',
      enabled: off,
      tokens: 'Tokens of input and output.',
      usd: 'US dollars, by the prices that are known.',
      calls: 'Tool calls.',
      minutes: 'Minutes since the first event; of several sessions, of all of them together.',
      per: 'Whose budget it is: that of each session, or a day (UTC) of each agent, each tenant or all sessions together.',
    },
  },
} as const satisfies Record<string, DetectorFacts>;

export type DetectorId = keyof typeof detectorFacts;

/** In the order of the contract, which tables and charts follow. */
export const detectorIds = Object.keys(detectorFacts) as [DetectorId, ...DetectorId[]];
