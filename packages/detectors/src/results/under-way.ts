const GOING_ON =
  '(?:pending|queued|starting(?! from)|in[ _-]?progress|not[ _-](?:yet[ _-](?!implemented|supported)\\w+|(?:ready|started|finished|completed?)(?!:)))';
/** Words in -ing of which none is work. */
const NO_WORK =
  '(?:fail|miss|warn|exist|(?:out)?stand|wyom|pass|conflict|block|noth|str|lack|upcom|incom|outgo|recurr|remain|expir|trend|thriv)ing\\b';
/** What takes a while, up to its ending. */
const WORK =
  '(?:re)?(?:start|boot|build|load|upload|download|process|print|index|sync|synchroni[sz]|render|deploy|train|convert|encod|transcod|scan|updat|upgrad|install|migrat|creat|provision|prepar|copy|comput|calculat|analy[sz]|generat|compil|import|export|crawl|heat|cool|replicat|restor|charg|queu|validat|archiv|connect|initiali[sz]|finali[sz]|drain|scal|propagat|clon|fetch|extract|compress|optimi[sz]|simulat|runn)ing';
/** Wordings of work in progress: the whole result, the value of a field, or an unambiguous phrase. */
const UNDER_WAY = new RegExp(
  [
    `^[^\\n:=]{1,40}[:=]\\W*(?:${WORK}|waiting)\\W*$`,
    `(?:status|state|phase|conclusion|health)["'\\\\]*\\s?[:=>]\\s?["'\\\\]*(?:\\w*${GOING_ON}|(?!\\w*${NO_WORK})\\w+ing\\b)`,
    `\\b(?:is|are|still|currently)(?: still| currently)? (?:${WORK}|waiting|sleeping|working|being)\\b`,
    `(?<![a-z]|\\b(?:no|0|was|were) )(?:${GOING_ON}|no new (?:output|messages)|check back|try again later|ContainerCreating|PodInitializing)\\b(?!['"\\\\]*\\s?[:=]\\s?['"]?(?:0|no|none|false|null)\\b)`,
    /\b(?:loading|processing|please wait)\b ?(?:\.{2,}|…)/.source,
    `^\\W*(?:still )?(?!${NO_WORK})[a-z]{2,20}ing\\W*$`,
    /"(?:is_?|all_?)?(?:done|ready|finished|completed?|online|loaded|synced|processed)\\*"\s?:\s?false/
      .source,
    `"(?:is_?)?${WORK}\\\\*"\\s?:\\s?true|^\\W*${WORK}\\b[^\\n:=]{0,60}$`,
    /(?:^|[:,] )being \w|\bstill (?:alive|busy)\b/.source,
    // French, Spanish, Portuguese, Italian, German, Dutch, Chinese, Japanese, Korean and Russian.
    /\b(?:en (?:cours|attente|proceso|curso|espera|revisión)|pend(?:i)?ente|em (?:andamento|processamento)|in (?:corso|attesa|Bearbeitung|behandeling|review)|(?:ausstehend|wartend)|wird (?:\w+ )?(?:ver|be)arbeitet|(?:noch nicht|pas encore|todavía no|aún no|ainda não|non ancora)|se está \w+ndo|está siendo|está sendo)\b/
      .source,
    /(?:处理|进行|运行|等待|排队|処理|進行|実行|待機|準備)中|(?:처리|진행|대기) ?중|в обработке|выполняется|ожида(?:ет|ние)/
      .source,
  ].join('|'),
  'i',
);
/** In a longer text, a mention of work in progress is not the status being waited for. */
const UNDER_WAY_UNITS = 300;
/** A placeholder for a picture that was not recorded: whether it has changed is unknown. */
const LEFT_OUT =
  /^\W*(?:image|screenshot|picture|binary|base64)(?:[ _-]?(?:data|content|output))?(?: (?:taken\b[^.:]{0,40}|(?:omitted|removed|elided|truncated)\b.{0,40}))?\W*$/i;

/** Whether a result says that work is still in progress, or is a placeholder for unrecorded content. */
export function isUnderWay(text: string): boolean {
  return text.length <= UNDER_WAY_UNITS && (UNDER_WAY.test(text) || LEFT_OUT.test(text));
}
