/** Wordings that reject an answer, as opposed to asking for more. */
const REJECTS =
  /\b(?:errors?|invalid|malformed|wrong|incorrect|fail(?:ed|s|ures?|ing)?|reject(?:ed|s|ion)?|denied|blocked|refused|must|exactly|required?|expect(?:ed|ing|s)|missing|lacks?|instead|unable|pars(?:e|ed|ing|able)|unparsable|format|schema|feedback|unfinished|incomplete|retry|try again|no (?:valid |such )?(?:tools?|actions?|functions?|commands?|code|json|answer|calls?)|(?:not|never|n['’]t) (?:yet )?(?:been )?(?:found|valid|allowed|accepted|use[ds]?|call(?:ed)?|ask(?:ed)?|include[ds]?|contain(?:ed)?|match(?:ed)?|follow(?:ed)?|provide[ds]?|finish(?:ed)?|complete[ds]?|done|understood|recogni[sz]ed?|supported|permitted)|could ?n[o'’]t|cannot|can['’]t)\b/i;
/** The same in other languages. */
const REJECTS_ELSEWHERE =
  /(?<!\p{L})(?:fehler|ungültig|falsch|abgelehnt|muss|erwartet|genau|erreur|invalide|incorrecte?|doit|attendue?|refusée?|exactement|inválid[ao]|incorrect[ao]|debe|esperaba|rechazad[ao]|exactamente|erro|deve|esperad[ao]|rejeitad[ao]|errore|non valid[ao]|ошибк|неверн|недопустим|долж|требуется|ожидал)|错误|无效|格式|必须|失败|拒绝|不符合|錯誤|無效|必須|失敗|エラー|無効|形式|してください|오류|잘못|형식|유효하지|해야/iu;
/**
 * Wordings that reject the previous answer even if their author is unknown: a request to be answered in different ways,
 * again and again, may speak of formats and errors too.
 */
export const REJECTS_ANSWER =
  /^\W*(?:\w+:\W*)?(?:error|invalid|malformed|rejected)\b|\byour? (?:last |previous |latest )?(?:did not|didn['’]t|have not|haven['’]t|response|answer|output|message|reply)\b.{0,60}\b(?:not?|never|n['’]t|without|invalid|malformed|missing|rejected|use[ds]?|call(?:ed)?|contain(?:ed)?)\b|\b(?:incomplete|unfinished|not (?:yet )?(?:done|finished|complete))\b.{0,80}\b(?:continue|tasks?|todos?|retry|try again)\b/i;

/** Whether a prompt that is known to be a harness' rejects an answer. */
export function rejects(prompt: string): boolean {
  return REJECTS.test(prompt) || REJECTS_ELSEWHERE.test(prompt);
}
