/** A timer that does not keep the agent's process alive, where the runtime has processes. */
export function startTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  // Elsewhere than on Node, it is a number.
  if (typeof timer === 'object') timer.unref();
  return timer;
}
