import type { Role } from '@loopwatch/contract/api';

/** What each role may do, the least first. */
export const roleTexts: Readonly<Record<Role, string>> = {
  producer: 'For agents and their hooks: sends events and asks about calls, and reads nothing else.',
  viewer: 'Reads everything and changes nothing.',
  operator: 'Does everything, including creating and revoking tokens.',
};
