import { type Gauge, gauge } from '../shared/gauge.ts';

/** Metrics of the audit log. */
export const gauges: readonly Gauge[] = [
  gauge('burgee_audit_events', 'Stored audit events', ({ auditLogRetention }) => auditLogRetention.status?.count),
  gauge(
    'burgee_audit_events_first_id',
    'Id of the oldest stored audit event; if there is none, the id of the next audit event',
    ({ auditLogRetention }) => auditLogRetention.status?.firstId,
  ),
  gauge(
    'burgee_audit_events_bytes',
    'Size of the audit events in the store; left out until it is measured',
    ({ auditLogRetention }) => auditLogRetention.status?.sizeBytes ?? undefined,
  ),
  gauge(
    'burgee_audit_events_year_bytes',
    'Estimated size of one year of audit events; left out if the stored audit events cover less than a day',
    ({ auditLogRetention }) => auditLogRetention.status?.yearBytes ?? undefined,
  ),
];
