/** Wordings that reject an answer, as opposed to asking for more. */
const REJECTS =
  /\b(?:\w*error|invalid|malformed|wrong|incorrect|should (?:be|have|contain|match)|fail|reject|denied|block(?:ed|s)|refus|must|exactly|requir|expect|missing|lack|instead|unable|(?:un)?pars|format|schema|json|feedback|unfinished|incomplete|exceed|fewer|flagged|shorten|rewrite|(?:only|more than) (?:one|a)\b|have to\b|no \w+ w(?:as|ere)\b|retry|try again|no (?:valid |such )?(?:tool|action|function|command|code|answer|call)|(?:did|have|has|were|was) ?n[o'’]t|(?:not|never) (?:yet )?(?:found|valid|allowed|accepted|use|call|supported|permitted)|could ?n[o'’]t|cannot|can['’]t)/i;
/** The same in other languages. */
const REJECTS_ELSEWHERE =
  /(?<!\p{L})(?:fehler|ungültig|kein gültig|falsch|abgelehnt|muss|erwartet|genau|erreur|erro|doit|attend|exact[ae]m|inválid|debe|espera|rechaz|deve|rejeita|non valid|ошибк|неверн|недопустим|долж|требуется|ожидал)|[错錯][误誤]|[无無][效効]|格式|必[须須]|失[败敗]|拒绝|不符合|エラー|形式|してください|오류|잘못|형식|유효하지|해야/iu;
/**
 * Wordings that reject the previous answer even if their author is unknown: a request to be answered in different ways,
 * again and again, may speak of formats and errors too.
 */
export const REJECTS_ANSWER =
  /^\W*(?:\w+:\W*)?(?:error|invalid|malformed|rejected)\b|\byour? (?:last |previous |latest )?(?:(?:did|have) ?n[o'’]t|response|answer|output|message|reply)\b.{0,60}\b(?:n[o'’]t?\b|never|without|invalid|malformed|missing|reject|use|call|contain)|\b(?:incomplete|unfinished|not (?:yet )?(?:been )?(?:done|finished|completed?|reached|met|achieved|fulfilled|satisfied))\b.{0,80}\b(?:continue|keep|task|todo|retry|try again)/i;

/** Units of a prompt that tell what it is. */
const HEAD_UNITS = 200;
/** How a prompt begins that tells what another agent, or work in the background, has come to. */
const REPORTS =
  /^(?!.{0,99}\b(?:not (?:yet|done|complet|finish)|must|your?|again))(?:\W*\b\w+){0,3}?\W*(?:sub[-_ ]?agent|teammate|background|(?:agent|worker|task|job)(?=.{0,24}[^a-z\s.,:!?]))/i;

/** Whether a harness tells of work that others have done: the next report is none of the same, however alike it is. */
export function reports(prompt: string): boolean {
  return REPORTS.test(prompt.slice(0, HEAD_UNITS));
}

/** Whether a prompt that is known to be a harness' rejects an answer. */
export function rejects(prompt: string): boolean {
  return REJECTS.test(prompt) || REJECTS_ELSEWHERE.test(prompt);
}
