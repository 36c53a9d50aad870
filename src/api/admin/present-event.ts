import type { AuditEvent } from '../../model/event.ts';
import { eventLabel, eventSummary } from './event-summary.ts';

/** An event as the admin API answers it (contract: Event): what is stored of it, and how people read it. */
export function presentEvent(event: AuditEvent, basePath: string) {
  return { ...event, label: eventLabel(event), summary: eventSummary(event, basePath) };
}
