/** What changes by itself from call to call, and what takes its place before results are compared. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one.
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  [/\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/g, '<duration>'],
  [/\b(pid|process(?: id)?|ppid|thread)(["']?\s*(?:[:=#]\s*)?)\d+/gi, '$1$2<pid>'],
  [
    /\b((?:request|trace|span|correlation|session|run|job|message)[ _-]?id|req)(["']?\s*(?:[:=#]\s*)?["']?)[\w-]{4,}/gi,
    '$1$2<id>',
  ],
  [
    /("(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\s*:\s*)\d+(?:\.\d+)?/gi,
    '$1<time>',
  ],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  [/\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  [/\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: letters of both cases and digits.
  [
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
  [/\s+/g, ' '],
];

/** A result without what changes by itself. */
export function normalise(text: string): string {
  let normal = text;
  for (const [pattern, replacement] of VOLATILE) normal = normal.replace(pattern, replacement);
  return normal.trim();
}
