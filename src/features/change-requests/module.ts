import { changeRequestConfigs, changeRequests } from '../../model/change-request.ts';
import { feature } from '../feature-module.ts';
import { edited } from './edited.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';

export const changeRequestsFeature = feature({
  name: 'change-requests',
  exports: ['commands.ts', 'config.ts', 'lookup.ts', 'moves.ts', 'orders.ts', 'unsaved-changes.ts'],
  collections: { changeRequestConfigs, changeRequests },
  edited,
  events: {
    'change-request-created': ['Change request created', 'created the change request {request}{in}{on}'],
    'change-request-discarded': ['Change request discarded', 'discarded the change request {request}{in}{on}'],
    'change-added': ['Change added', 'added a change to the change request {request}{in}{on}'],
    'change-discarded': ['Change discarded', 'discarded a change of the change request {request}{in}{on}'],
    'change-edited': ['Change edited', 'edited a change of the change request {request}{in}{on}'],
    'change-request-rejected': ['Change request rejected', 'rejected the change request {request}{in}{on}'],
    'change-request-approved': ['Change request approved', 'approved the change request {request}{in}{on}'],
    'change-request-approval-added': ['Approval added', 'added an approval to the change request {request}{in}{on}'],
    'change-request-cancelled': ['Change request cancelled', 'cancelled the change request {request}{in}{on}'],
    'change-request-sent-to-review': [
      'Change request sent to review',
      'sent the change request {request} to review{in}{on}',
    ],
    'change-request-schedule-suspended': ['Schedule suspended', 'suspended the change request {request}{in}{on}'],
    'change-request-applied': ['Change request applied', 'applied the change request {request}{in}{on}'],
    'change-request-scheduled': ['Change request scheduled', 'scheduled the change request {request}{in}{on}'],
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
    (await import('./size.ts')).changeRequestQuotaGuard,
    (await import('./protection.ts')).protectionGuard,
  ],
  limited: async () => (await import('./limited.ts')).limited,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).changeRequestParts,
  http: async () => (await import('./http.ts')).http,
});
