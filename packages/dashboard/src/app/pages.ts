import type { IconName } from '../ui/lib/icons.tsx';

/** Pages in the navigation and the palette; `isInReports`: on a phone, another page links to it. */
export const pages = [
  { to: '/', name: 'Overview', icon: 'overview' },
  { to: '/incidents', name: 'Incidents', icon: 'incidents' },
  { to: '/sessions', name: 'Sessions', icon: 'sessions' },
  { to: '/breakdown', name: 'Breakdown', icon: 'bars' },
  { to: '/compare', name: 'Compare', icon: 'columns', isInReports: true },
  { to: '/report', name: 'Weekly report', icon: 'report', isInReports: true },
  { to: '/tuning', name: 'Tuning', icon: 'tuning' },
  { to: '/settings', name: 'Settings', icon: 'settings' },
  { to: '/status', name: 'Status', icon: 'status' },
] as const satisfies readonly { to: string; name: string; icon: IconName; isInReports?: true }[];

/** Pages reached from other pages and the palette. */
export const innerPages = [
  { to: '/notifications', name: 'Notifications', icon: 'settings' },
  { to: '/settings/tokens', name: 'Tokens', icon: 'settings' },
  { to: '/settings/audit', name: 'Audit log', icon: 'settings' },
  { to: '/connect', name: 'Connect your agents', icon: 'sessions' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[];
