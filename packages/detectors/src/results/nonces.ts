/** A longer text is no page that only tells of a failure. */
const FAILURE_UNITS = 600;
const FAILS =
  /wrong|error|fail|reject|denied|blocked|problem|could not|unable|sorry|fehler|verweig|indispon|deneg/i;
const SUCCEEDS = /confirmed|booked|created|submitted|thank|success/i;
/** What those who help want to be told; a shorter number may be that of a line or a case. */
const INCIDENT =
  /(\b(?:(?:support|event|error|case|session|vorgangs?|fehler)[ _-]?(?:id|number|nummer)|support[ _-]?code|(?:incident|reference)(?: (?:id|number|code))?)(?: (?:is|ist|lautet))?[ :=#"]{1,4})(?=[\w-]*\d)[\w-]{6,}/gi;
/** The name that Docker makes for what has this id. */
const MADE_NAME = /\b[a-z]+_[a-z]+(?= \([0-9a-f]{64}\))/g;
/** The process that a shell has started, and nothing else: `[1] 4711`. */
const JOB = /^(\[\d\] )\d+$/;
/** What stands between the parts of a mail. */
const BOUNDARY = /\bboundary=\\*"?([^"\\\s;]{8,70})/gi;
const MAX_BOUNDARIES = 4;
/** What marks a page as given by its elements, and the references by which it gives these another number each time. */
const HAS_ELEMENTS = ['[ref=', 'uid=', 'RootWebArea'];
const ELEMENT =
  /(?<=\[ref=)@?[a-z]?\d+(?:[a-z]\d+)*(?=\])|(?<=\buid=)\d+_\d+(?= \w)|(?<=^\s*\[)\d+(?=\] [A-Za-z]+ ['"])/gm;

/** Replaces the names that a text makes up for its own parts, and the incident numbers that an error page gives for support. */
export function withoutNonces(text: string): string {
  let plain = text.replace(JOB, '$1<pid>');
  if (text.includes('oundary='))
    for (const [, mark = ''] of [...text.matchAll(BOUNDARY)].slice(0, MAX_BOUNDARIES))
      plain = plain.replaceAll(mark, '<boundary>');
  // A single one is what the call named.
  if (HAS_ELEMENTS.some((mark) => text.includes(mark)) && (text.match(ELEMENT)?.length ?? 0) > 1)
    plain = plain.replace(ELEMENT, '<element>');
  if (text.length > FAILURE_UNITS || !FAILS.test(text) || SUCCEEDS.test(text)) return plain;
  return plain.replace(INCIDENT, '$1<id>').replace(MADE_NAME, '<name>');
}
