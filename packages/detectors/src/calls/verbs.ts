/* Verbs of calls that change something, in names of tools and in command lines; each is a part of an expression. */

/** What brings one thing into the same state again if it is done again. */
export const SETS_STATE =
  'deploy|apply|update|set|commit|merge|write|save|install|restart|stop|enable|disable|delete|remove|push';
/** The same of what is there already. */
export const AMENDS = 'edit|patch|fix|replace|restore|reset';
/** What may bring about something new each time. */
export const BRINGS_ABOUT = 'create|insert|move|put|post|append|start|grant|upload|publish|kill';
