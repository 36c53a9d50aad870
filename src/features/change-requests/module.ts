import { changeRequestConfigs, changeRequests } from '../../model/change-request.ts';
import { feature } from '../feature-module.ts';
import { projectOfKey } from '../shared/recorded.ts';
import { edited } from './edited.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';

/** Why their changes are not undone. */
const REQUESTS =
  'a change request has steps of its own, and is not undone. Undo the commit that applied it, or create another change request.';

export const changeRequestsFeature = feature({
  name: 'change-requests',
  exports: ['commands.ts', 'config.ts', 'lookup.ts', 'moves.ts', 'orders.ts', 'trying.ts', 'unsaved-changes.ts'],
  collections: { changeRequestConfigs, changeRequests },
  shown: {
    changeRequests: {
      type: 'change-request',
      named: ({ id, project, environment }) => ({ id, project, environments: [environment] }),
      // Only its author and admins may see a change request in the state Draft.
      isHidden: (before, after) => (after ?? before)?.state === 'Draft',
    },
    changeRequestConfigs: {
      type: 'project',
      named: ({ project, environment }) => ({ id: project, project, environments: [environment] }),
    },
  },
  history: {
    changeRequestConfigs: {
      type: 'change-request-settings',
      idOf: projectOfKey,
      undo: async () => (await import('./config.ts')).undoChangeRequestConfig,
    },
  },
  edited,
  events: {
    'change-request-created': ['Change request created', 'created the change request {request}{in}{on}', REQUESTS],
    'change-request-discarded': [
      'Change request discarded',
      'discarded the change request {request}{in}{on}',
      REQUESTS,
    ],
    'change-added': ['Change added', 'added a change to the change request {request}{in}{on}', REQUESTS],
    'change-discarded': ['Change discarded', 'discarded a change of the change request {request}{in}{on}', REQUESTS],
    'change-edited': ['Change edited', 'edited a change of the change request {request}{in}{on}', REQUESTS],
    'change-request-rejected': ['Change request rejected', 'rejected the change request {request}{in}{on}', REQUESTS],
    'change-request-approved': ['Change request approved', 'approved the change request {request}{in}{on}', REQUESTS],
    'change-request-approval-added': [
      'Approval added',
      'added an approval to the change request {request}{in}{on}',
      REQUESTS,
    ],
    'change-request-cancelled': [
      'Change request cancelled',
      'cancelled the change request {request}{in}{on}',
      REQUESTS,
    ],
    'change-request-sent-to-review': [
      'Change request sent to review',
      'sent the change request {request} to review{in}{on}',
      REQUESTS,
    ],
    'change-request-schedule-suspended': [
      'Schedule suspended',
      'suspended the change request {request}{in}{on}',
      REQUESTS,
    ],
    'change-request-applied': ['Change request applied', 'applied the change request {request}{in}{on}'],
    'change-request-scheduled': [
      'Change request scheduled',
      'scheduled the change request {request}{in}{on}',
      REQUESTS,
    ],
    'change-request-scheduled-application-success': [
      'Scheduled change request applied',
      'applied the scheduled change request {request}{in}{on}',
    ],
    'change-request-scheduled-application-failure': [
      'Scheduled change request failed',
      'could not apply the scheduled change request {request}{in}{on}',
    ],
    'change-request-configuration-updated': [
      'Change requests configured',
      'changed when change requests are needed{in}{on}',
    ],
  },
  limits: CHANGE_REQUEST_LIMITS,
  guards: async () => [
    (await import('./quota.ts')).changeRequestQuotaGuard,
    (await import('./protection.ts')).protectionGuard,
  ],
  limited: async () => (await import('./limited.ts')).limited,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).changeRequestParts,
  http: async () => (await import('./http.ts')).http,
});
