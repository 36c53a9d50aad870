import { DAY_MS } from '../../base/clock.ts';
import type { Services } from '../services.ts';
import { EventIndex } from './event-index.ts';
import { AuditLogRetention } from './retention.ts';
import { EventSearch } from './search.ts';

interface EventParts {
  /** Finds audit events by their fields. */
  readonly eventIndex: EventIndex;
  /** Finds audit events by their fields and by text. */
  readonly eventSearch: EventSearch;
  readonly auditLogRetention: AuditLogRetention;
}

declare module '../services.ts' {
  interface FeatureParts extends EventParts {}
}

export function eventParts(services: Services): EventParts {
  const { replica, store, logger, components, bulk } = services;
  const eventIndex = new EventIndex(replica, store, logger);
  const auditLogRetention = retentionOf(services, eventIndex);
  // The store may close before these two: closing it ends their pending reads.
  components.add({
    name: 'event index',
    dependsOn: ['store'],
    start: () => eventIndex.start(),
    close: () => eventIndex.close(),
  });
  components.add({
    name: 'audit log retention',
    start: () => auditLogRetention.start(),
    close: () => auditLogRetention.close(),
  });
  return { eventIndex, eventSearch: new EventSearch({ index: eventIndex, pool: bulk.pool }), auditLogRetention };
}

function retentionOf({ config, store, clock, logger, replica }: Services, index: EventIndex): AuditLogRetention {
  const { eventsKeepMax: eventsMax, eventsKeepBytes: bytesMax, eventsKeepDays, eventsTrimEveryMs: everyMs } = config;
  const bounds = { eventsMax, bytesMax, ageMaxMs: eventsKeepDays * DAY_MS };
  return new AuditLogRetention({ replica, store, index, clock, logger, bounds, everyMs });
}
