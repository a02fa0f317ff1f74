import type { IconName } from '../ui/lib/icons.tsx';

/** Pages in the navigation and the palette. */
export const pages = [
  { to: '/', name: 'Overview', icon: 'overview' },
  { to: '/incidents', name: 'Incidents', icon: 'incidents' },
  { to: '/sessions', name: 'Sessions', icon: 'sessions' },
  { to: '/compare', name: 'Compare', icon: 'columns' },
  { to: '/tuning', name: 'Tuning', icon: 'tuning' },
  { to: '/settings', name: 'Settings', icon: 'settings' },
  { to: '/status', name: 'Status', icon: 'status' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[];

/** Pages reached from other pages and the palette. */
export const innerPages = [
  { to: '/breakdown', name: 'Breakdown: compare agents, models, tools', icon: 'overview' },
  { to: '/notifications', name: 'Notifications', icon: 'settings' },
  { to: '/connect', name: 'Connect your agents', icon: 'sessions' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[];
