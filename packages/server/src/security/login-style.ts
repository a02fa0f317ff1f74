/** The style of the login page: the dashboard's tokens, as far as it needs them; a test holds them to be the same. */
export const loginStyle = `:root {
  color-scheme: light dark;

  --font: "Inter Variable", Inter, system-ui, sans-serif;

  --s2: 8px;
  --s3: 12px;
  --s4: 16px;
  --s5: 24px;
  --s6: 32px;
  --r2: 8px;
  --r3: 12px;
  --t-s: 12px;
  --t-m: 13px;
  --t-l: 15px;
  --t-xl: 20px;

  --bg: light-dark(oklch(98.2% 0.003 255), oklch(17.5% 0.012 262));
  --panel: light-dark(oklch(100% 0 0), oklch(20.8% 0.013 262));
  --raise: light-dark(oklch(96.4% 0.005 255), oklch(24.6% 0.014 262));
  --line: light-dark(oklch(91.5% 0.006 255), oklch(28% 0.014 262));
  --line2: light-dark(oklch(85% 0.009 255), oklch(37% 0.016 262));
  --ink: light-dark(oklch(24% 0.02 262), oklch(94% 0.006 262));
  --ink2: light-dark(oklch(43% 0.018 260), oklch(78% 0.012 262));
  --ink3: light-dark(oklch(51.5% 0.015 258), oklch(67% 0.014 262));

  --accent: light-dark(oklch(50% 0.17 262), oklch(75% 0.12 262));
  --hot: light-dark(oklch(53% 0.2 27), oklch(72% 0.16 27));
  --hot-soft: light-dark(oklch(95.5% 0.025 27), oklch(28% 0.06 27));
}

*,
::before,
::after {
  box-sizing: border-box;
  margin: 0;
}

body {
  display: grid;
  place-content: center;
  grid-template-columns: min(376px, 100%);
  min-height: 100vh;
  min-height: 100dvh;
  padding: var(--s4);
  font: 400 var(--t-m) / 1.5 var(--font);
  color: var(--ink);
  background: var(--bg);
}

main {
  padding: var(--s6);
  border: 1px solid var(--line);
  border-radius: var(--r3);
  background: var(--panel);
}

.brand {
  display: flex;
  align-items: center;
  gap: var(--s2);
  margin-bottom: var(--s5);
  font-size: var(--t-l);
  font-weight: 640;
  letter-spacing: -0.01em;
}

.brand circle {
  fill: var(--panel);
  stroke: var(--accent);
}

.brand .track {
  stroke: var(--line2);
}

h1 {
  margin-bottom: var(--s4);
  font-size: var(--t-xl);
  font-weight: 640;
  letter-spacing: -0.015em;
}

[role="alert"] {
  margin-bottom: var(--s4);
  padding: var(--s2) var(--s3);
  border: 1px solid var(--hot);
  border-radius: var(--r2);
  background: var(--hot-soft);
  color: var(--hot);
  font-weight: 500;
}

label {
  display: block;
  margin-bottom: 4px;
  font-weight: 550;
}

input,
button,
.button {
  display: block;
  width: 100%;
  min-height: 36px;
  padding: 7px var(--s3);
  border: 1px solid var(--line2);
  border-radius: var(--r2);
  background: var(--panel);
  color: var(--ink);
  font: inherit;
}

input {
  background: var(--bg);
}

input[aria-invalid] {
  border-color: var(--hot);
}

button,
.button {
  border-color: var(--ink);
  background: var(--ink);
  color: var(--panel);
  font-weight: 550;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}

button {
  margin-top: var(--s3);
}

/* The first way to log in is the one to take; a second one stands back. */

.button ~ form button {
  border-color: var(--line2);
  background: var(--panel);
  color: var(--ink);
}

.button ~ form button:hover {
  background: var(--raise);
}

.or {
  display: flex;
  align-items: center;
  gap: var(--s3);
  margin: var(--s4) 0;
  font-size: var(--t-s);
  color: var(--ink3);
}

.or::before,
.or::after {
  content: "";
  flex: 1;
  border-top: 1px solid var(--line);
}

.help {
  margin-top: var(--s4);
  font-size: var(--t-s);
  color: var(--ink3);
}

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
}
`;
