import * as api from '@loopwatch/contract/api';
import type { Tag } from './tag.ts';

export const settings: Tag = {
  name: 'Settings',
  description: 'Change detection without a restart.',
  operations: {
    '/settings': {
      get: {
        id: 'listSettings',
        description: 'Lists the settings that can be changed, and the scopes with overrides',
        answer: api.settingsOverviewSchema,
      },
    },
    '/settings/{scope}': {
      get: {
        id: 'getSettings',
        description: 'Returns the overrides of a scope, its effective values and their origins',
        answer: api.scopeSettingsSchema,
        problems: [400],
      },
      put: {
        id: 'putSettings',
        description: 'Replaces the overrides of a scope',
        answer: api.scopeSettingsSchema,
        body: api.settingsPutSchema,
        example: { set: { 'tool_call_loop.max_repeats': 6, 'semantic.enabled': false } },
        problems: [400, 404, 409, 413],
      },
      delete: {
        id: 'deleteSettings',
        description: 'Removes the overrides of a scope',
        answer: api.scopeSettingsSchema,
        problems: [400, 404],
      },
    },
  },
};

export const notifications: Tag = {
  name: 'Notifications',
  description: 'Tell people about loops.',
  operations: {
    '/notifications': {
      get: {
        id: 'listNotifications',
        description: 'Lists receivers with their delivery status',
        answer: api.notificationsSchema,
      },
    },
    '/notifications/{name}': {
      put: {
        id: 'putNotification',
        description: 'Creates or replaces a receiver; a secret that is sent back hidden is kept',
        answer: api.notificationStatusSchema,
        body: api.notificationPutSchema,
        example: { type: 'slack', token: 'xoxb-1', channel: '#agents', when: { action: 'block' } },
        problems: [400, 409, 413],
      },
      delete: {
        id: 'deleteNotification',
        description:
          'Deletes a receiver that was created on the page or through the API, with its waiting messages',
        status: 204,
        problems: [404, 409],
      },
    },
    '/notifications/{name}/test': {
      post: {
        id: 'testNotification',
        description: 'Sends a test message now; 502 when delivery fails',
        answer: api.notificationTestSchema,
        problems: [404, 502],
      },
    },
  },
};
