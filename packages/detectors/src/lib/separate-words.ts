/** `getJobStatus` as `get_Job_Status`: a name whose words are told apart by case is the same as one with separators. */
export function separateWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}

/** Tells names that contain one of these as a word of its own. @param words source of an alternation, in any case */
export function wordIn(words: string): RegExp {
  return new RegExp(`(?:^|[_\\-. ])(?:${words})(?:$|[_\\-. ])`, 'i');
}
