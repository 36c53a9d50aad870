import type { AuditEvent, EventType } from '../../model/event.ts';
import { decodeEvent } from '../../state/commit.ts';
import { decodeEventOutline } from '../../state/event-outline.ts';
import type { Services } from '../services.ts';
import { whyNeverUndone } from '../shared/never-undone.ts';
import type { DecodeEvent } from './event-index.ts';
import { eventLabel, eventSummary, namesInSummary } from './summary.ts';

/** The type of every group of events. */
export const EVENT_GROUP = 'request';

/** Which fields of events an answer has: all, or only those that are always small. */
export const EVENT_FIELDS = ['all', 'summary'] as const;
export type EventFields = (typeof EVENT_FIELDS)[number];

/** How stored events become the events of an answer. */
interface EventForm {
  readonly decode: DecodeEvent;
  readonly present: (event: AuditEvent) => unknown;
}

/** Events as the admin API returns them (contract: Event): the stored fields, with a label and a summary for people. */
export function eventForm({ config }: Pick<Services, 'config'>, fields: EventFields = 'all'): EventForm {
  const words = (event: AuditEvent) => ({
    revision: event.revision ?? null,
    reason: event.reason ?? null,
    label: eventLabel(event),
    summary: eventSummary(event, config.basePath),
    ...(isUndo(event.type) && { undoneRevision: (event.data as UndoData).revision }),
  });
  if (fields === 'summary') {
    const present = (event: AuditEvent) => {
      const { data: _data, preData: _preData, tags: _tags, ...head } = event;
      return { ...head, ...words(event) };
    };
    return { decode: decodeForSummary, present };
  }
  const present = (event: AuditEvent) => ({
    ...event,
    tags: event.tags ?? [],
    ip: event.ip ?? null,
    // One request makes one commit, so its events have one revision.
    groupType: event.revision === undefined ? null : EVENT_GROUP,
    groupId: event.revision === undefined ? null : String(event.revision),
    neverUndone: whyNeverUndone(event.type),
    ...words(event),
  });
  return { decode: decodeEvent, present };
}

/** Decodes what the summary of an event needs. The data of an event may have megabytes. */
export function decodeForSummary(bytes: Uint8Array): AuditEvent {
  return decodeEventOutline(bytes, (type) => (isUndo(type) ? UNDO_NAMES : namesInSummary(type)));
}

interface UndoData {
  readonly revision: number;
}

const isUndo = (type: EventType): boolean => type === 'feature-change-undone';
/** The summary of an undo needs nothing of its data. */
const UNDO_NAMES = ['revision'] as const satisfies readonly (keyof UndoData)[];
