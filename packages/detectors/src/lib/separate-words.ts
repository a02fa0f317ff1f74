/** `getJobStatus` as `get_Job_Status`: a name whose words are told apart by case is the same as one with separators. */
export function separateWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}
