import type { ReactNode } from 'react';

const shapes = {
  incidents: (
    <>
      <path d="M12 3a9 9 0 1 0 9 9" />
      <path d="M21 4v5h-5" />
    </>
  ),
  overview: (
    <>
      <rect x="3.5" y="3.5" width="7" height="9" rx="1.5" />
      <rect x="13.5" y="3.5" width="7" height="5" rx="1.5" />
      <rect x="13.5" y="11.5" width="7" height="9" rx="1.5" />
      <rect x="3.5" y="15.5" width="7" height="5" rx="1.5" />
    </>
  ),
  bars: <path d="M4 20V11M10 20V4M16 20v-6M21 20H3" />,
  report: (
    <>
      <rect x="4.5" y="3.5" width="15" height="17" rx="1.5" />
      <path d="M8 8.5h8M8 12.5h8M8 16.5h5" />
    </>
  ),
  sessions: <path d="M4 5.5h16v11H11l-4.5 3.5v-3.5H4z" />,
  tuning: (
    <>
      <path d="M4 7h9M19 7h1M4 17h1M11 17h9" />
      <circle cx="16" cy="7" r="2.6" />
      <circle cx="8" cy="17" r="2.6" />
    </>
  ),
  settings: (
    <>
      <circle cx="12" cy="12" r="3" />
      <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1" />
    </>
  ),
  status: <path d="M3 12h4l3-8 4 16 3-8h4" />,
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="m16 16 4.5 4.5" />
    </>
  ),
  clock: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 7v5l3.5 2" />
    </>
  ),
  star: <path d="m12 4 2.4 5 5.6.7-4.1 3.9 1 5.5-4.9-2.7-4.9 2.7 1-5.5L4 9.7 9.6 9z" />,
  json: (
    <path d="M9 4.5c-2.5 0-3 1-3 3v2c0 1.5-.8 2.5-2 2.5 1.2 0 2 1 2 2.5v2c0 2 .5 3 3 3M15 4.5c2.5 0 3 1 3 3v2c0 1.5.8 2.5 2 2.5-1.2 0-2 1-2 2.5v2c0 2-.5 3-3 3" />
  ),
  down: <path d="m6 9.5 6 6 6-6" />,
  columns: <path d="M4 5h16v14H4zM9.5 5v14M14.5 5v14" />,
  download: <path d="M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14" />,
  mute: (
    <>
      <path d="M5 10v4h3.5L13 18V6L8.5 10z" />
      <path d="m16.5 9.5 5 5M21.5 9.5l-5 5" />
    </>
  ),
  flag: <path d="M6 21V4h11l-2 4 2 4H6" />,
  note: <path d="M5 4h14v11l-5 5H5zM14 20v-5h5" />,
  external: <path d="M14 5h5v5M19 5l-8 8M10 6H5v13h13v-5" />,
  expand: <path d="M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7" />,
  up: <path d="m6 14.5 6-6 6 6" />,
  group: <path d="M4 6h16M8 12h12M8 18h12" />,
  power: (
    <>
      <path d="M12 4v8" />
      <path d="M7 7a7.5 7.5 0 1 0 10 0" />
    </>
  ),
  user: (
    <>
      <circle cx="12" cy="8" r="3.6" />
      <path d="M5 20c.6-4 3.3-6 7-6s6.4 2 7 6" />
    </>
  ),
  model: <path d="M12 3.5 20 8v8l-8 4.5L4 16V8zM4 8l8 4.5L20 8M12 12.5v8" />,
  tool: <path d="M14.5 6.5a4 4 0 0 0 5 5l-9 9-4-4 9-9zM15 9l-3-3 3-2" />,
  alert: <path d="M12 4 21 19.5H3zM12 10v4M12 16.8v.2" />,
  undo: <path d="M9 6 4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-3" />,
  reset: (
    <>
      <path d="M5 12a7 7 0 1 0 2.3-5.2" />
      <path d="M5 4v4h4" />
    </>
  ),
  link: <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />,
  copy: (
    <>
      <rect x="9" y="9" width="11" height="11" rx="2" />
      <path d="M5 15H4V6a2 2 0 0 1 2-2h9v1" />
    </>
  ),
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  close: <path d="M6 6l12 12M18 6 6 18" />,
  back: <path d="M15 5l-7 7 7 7" />,
  stop: <path d="M7 7h10v10H7z" />,
  pause: <path d="M9 5v14M15 5v14" />,
  play: <path d="M8 5.5v13l10.5-6.5z" />,
  sun: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
    </>
  ),
  moon: <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z" />,
  keyboard: (
    <>
      <rect x="3" y="6" width="18" height="12" rx="2" />
      <path d="M7 10h.01M11 10h.01M15 10h.01M8 14h8" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers, because a text or an accessible name always accompanies it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  );
}
