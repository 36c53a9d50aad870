import type { AuditEvent } from '../../model/event.ts';
import type { Services } from '../services.ts';
import { eventLabel, eventSummary } from './summary.ts';

/** An event as the admin API returns it (contract: Event): the stored fields, with a label and a summary for people. */
export function eventPresenter({ config }: Pick<Services, 'config'>) {
  return (event: AuditEvent) => ({
    ...event,
    ip: event.ip ?? null,
    // Events are not grouped.
    groupType: null,
    groupId: null,
    label: eventLabel(event),
    summary: eventSummary(event, config.basePath),
  });
}
