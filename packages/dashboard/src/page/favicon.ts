import { ringShape } from '../ui/charts/ring-arcs.ts';

/** The logo with the number of open incidents, for the browser tab. An icon cannot use the page's CSS variables. */
export function faviconFor(open: number): string {
  if (open === 0) return '/favicon.svg';
  const label = open > 99 ? '99+' : String(open);
  const { dots } = ringShape({ count: 0, threshold: 1, period: 3 }, 16, 12);
  const points = dots
    .map(
      ({ x, y }) =>
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="#fff" stroke="#d33a2c" stroke-width="2"/>`,
    )
    .join('');
  const size = label.length > 2 ? 11 : 15;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="#fff" stroke="#d33a2c" stroke-width="2.4"/>${points}<text x="16" y="${String(16 + size * 0.36)}" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="${String(size)}" fill="#8d1d13">${label}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function showInTab(title: string, open: number): void {
  document.title = `${open > 0 ? `(${String(open)}) ` : ''}${title} · Loopwatch`;
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', faviconFor(open));
}
