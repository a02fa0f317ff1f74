/** The function with which the scripts that are installed for agents ask the server. */
export const postText = `/** Never throws. @returns the answer, empty if there is none, and how long the agent waited */
async function post(url, token, waitMs, body) {
  const startedAt = performance.now();
  let text = '';
  let isLate = false;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) },
      body,
      signal: AbortSignal.timeout(waitMs),
    });
    const answer = await response.text();
    if (response.ok && answer.startsWith('{') && answer.endsWith('}')) text = answer;
  } catch (error) {
    isLate = error.name === 'TimeoutError';
  }
  return { text, tookMs: isLate ? waitMs : performance.now() - startedAt };
}`;
