// Runs before the first paint, so that a remembered theme does not flash; src/app/theme.ts owns the key.
try {
  const theme = localStorage.getItem('loopwatch.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme stays.
}
