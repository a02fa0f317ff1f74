import * as api from '@loopwatch/contract/api';
import { listOf, type Tag } from './tag.ts';

export const incidents: Tag = {
  name: 'Incidents',
  description: 'Read and triage loops.',
  operations: {
    '/incidents': {
      get: {
        id: 'listIncidents',
        description: 'Lists incidents, newest first by default',
        answer: api.incidentPageSchema,
        query: listOf(api.incidentFilterSchema, api.incidentSorts),
        problems: [400],
      },
      patch: {
        id: 'triageIncidents',
        description: 'Triages several incidents at once',
        answer: api.triageResultSchema,
        body: api.triageManySchema,
        example: { ids: ['i-0c2fb5ed6cc922e0'], change: { status: 'acknowledged' } },
        problems: [400, 409, 413],
      },
    },
    '/incidents/{id}': {
      get: {
        id: 'getIncident',
        description: 'Returns an incident with its evidence',
        answer: api.incidentDetailSchema,
        problems: [404],
      },
      patch: {
        id: 'triageIncident',
        description: 'Triages an incident: acknowledge, mute, false positive, note, or undo',
        answer: api.incidentDetailSchema,
        body: api.triagePatchSchema,
        example: { status: 'false_positive', note: 'It waits for a deployment.' },
        problems: [400, 404, 409, 413],
      },
    },
    '/incidents/{id}/comments/{revision}': {
      delete: {
        id: 'deleteComment',
        description: 'Deletes one of your own comments, by the revision of its change',
        status: 204,
        problems: [404],
      },
    },
    '/incidents/{id}/remedies': {
      get: {
        id: 'listRemedies',
        description: 'Lists the settings under which an incident would not have been reported',
        answer: api.remediesSchema,
        problems: [404],
      },
    },
    '/incident-groups': {
      get: {
        id: 'listIncidentGroups',
        description: 'Lists groups of identical loops',
        answer: api.incidentGroupPageSchema,
        query: listOf(api.incidentFilterSchema, api.groupSorts),
        problems: [400],
      },
    },
    '/incident-groups/{key}': {
      patch: {
        id: 'triageIncidentGroup',
        description: 'Triages every incident of a group',
        answer: api.groupTriageResultSchema,
        body: api.triagePatchSchema,
        example: { status: 'false_positive' },
        problems: [400, 404, 409, 413],
      },
    },
    '/mutes': {
      get: { id: 'listMutes', description: 'Lists the active mutes by cause', answer: api.mutesSchema },
      post: {
        id: 'addMute',
        description: 'Mutes a cause: its existing and future incidents',
        answer: api.muteSchema,
        status: 201,
        body: api.mutePostSchema,
        example: { cause: { tool: 'deploy_status', detector: 'tool-repeat' }, untilEscalates: true },
        problems: [400, 413],
      },
    },
    '/mutes/{id}': {
      delete: { id: 'removeMute', description: 'Removes a mute', status: 204, problems: [404] },
    },
    '/verdicts': {
      get: {
        id: 'listVerdicts',
        description: 'Lists verdicts, newest first',
        answer: api.verdictPageSchema,
        query: listOf(api.verdictFilterSchema, ['detectedAt']),
        problems: [400],
      },
    },
  },
};
