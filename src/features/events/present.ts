import type { AuditEvent } from '../../model/event.ts';
import type { Services } from '../services.ts';
import { eventLabel, eventSummary } from './summary.ts';

/** The type of every group of events. */
export const EVENT_GROUP = 'request';

/** An event as the admin API returns it (contract: Event): the stored fields, with a label and a summary for people. */
export function eventPresenter({ config }: Pick<Services, 'config'>) {
  return (event: AuditEvent) => ({
    ...event,
    revision: event.revision ?? null,
    reason: event.reason ?? null,
    ip: event.ip ?? null,
    // One request makes one commit, so its events have one revision.
    groupType: event.revision === undefined ? null : EVENT_GROUP,
    groupId: event.revision === undefined ? null : String(event.revision),
    label: eventLabel(event),
    summary: eventSummary(event, config.basePath),
  });
}
