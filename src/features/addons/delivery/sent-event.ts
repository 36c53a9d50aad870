import type { Config } from '../../../config.ts';
import type { AuditEvent } from '../../../model/event.ts';
import type { StateReader } from '../../../state/collections.ts';
import { decodeEvent } from '../../../state/commit.ts';
import type { EventEntry } from '../../../stores/store.ts';
import { decodeForSummary, eventForm } from '../../events/present.ts';
import { eventLabel, eventSummary } from '../../events/summary.ts';
import { publicUrl } from '../../shared/public-url.ts';
import { ADDON_LIMITS } from '../limits.ts';
import type { SentEvent } from '../providers/provider.ts';

/** A stored event that is larger is sent without its data: to decode and encode it would block the event loop. */
const DATA_BYTES_MAX = 200_000;

/** The event as the providers of an add-on send it. @throws UnknownFormatError */
export function sentEvent(
  { bytes }: EventEntry,
  addon: number,
  nowMs: number,
  { config, state }: { readonly config: Config; readonly state: StateReader },
): SentEvent {
  const event = bytes.length > DATA_BYTES_MAX ? withoutData(decodeForSummary(bytes)) : decodeEvent(bytes);
  const { present } = eventForm({ config });
  const whole = presented(present(event));
  const bounded =
    whole.json.length <= ADDON_LIMITS.addonMessageBytes.max ? whole : presented(present(withoutData(event)));
  return {
    addon,
    id: event.id,
    type: event.type,
    nowMs,
    ...bounded,
    label: eventLabel(event) ?? event.type,
    markdown: eventSummary(event, publicUrl(config)) ?? event.type,
    link: linkOf(event, publicUrl(config)),
    tags: event.tags ?? state.get('features', event.featureName ?? '')?.tags ?? [],
  };
}

function presented(event: unknown): Pick<SentEvent, 'event' | 'json'> {
  return { event: event as SentEvent['event'], json: JSON.stringify(event) };
}

function withoutData(event: AuditEvent): AuditEvent {
  return { ...event, data: null, preData: null };
}

function linkOf({ project, featureName }: AuditEvent, url: string): string | null {
  // The event of a flag that moves names two projects, which have no common page.
  if (project === null || project.includes(',') || project === '*') return null;
  const page = `${url}/projects/${encodeURIComponent(project)}`;
  return featureName === null ? page : `${page}/features/${encodeURIComponent(featureName)}`;
}
