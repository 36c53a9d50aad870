import type { AuditEvent } from '../../model/event.ts';
import type { Services } from '../services.ts';
import { eventLabel, eventSummary } from './summary.ts';

/** How the admin API answers events (contract: Event): with what is stored of each, and as people read it. */
export function eventPresenter({ config }: Pick<Services, 'config'>) {
  return (event: AuditEvent) => ({
    ...event,
    ip: event.ip ?? null,
    // Each event stands by itself.
    groupType: null,
    groupId: null,
    label: eventLabel(event),
    summary: eventSummary(event, config.basePath),
  });
}
