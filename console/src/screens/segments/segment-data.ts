import { api, read, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import type { Constraint, Segment } from '../../domain/model.ts';

export const segmentUseQuery = (id: number) =>
  ({
    queryKey: keys.segment(id, 'strategies'),
    queryFn: () => read(api.GET('/api/admin/segments/{id}/strategies', { params: { path: { id } } })),
  }) as const;

export interface SegmentValues {
  readonly name: string;
  readonly description: string;
  readonly project: string | null;
  readonly constraints: readonly Constraint[];
}

export const valuesOf = (segment: Segment): SegmentValues => ({
  name: segment.name,
  description: segment.description ?? '',
  project: segment.project ?? null,
  constraints: segment.constraints,
});

export const EMPTY: SegmentValues = { name: '', description: '', project: null, constraints: [] };

const bodyOf = ({ name, description, project, constraints }: SegmentValues) => ({
  name: name.trim(),
  description: description.trim() || null,
  ...(project !== null && { project }),
  constraints: [...constraints],
});

export const createSegment = (values: SegmentValues) =>
  write(api.POST('/api/admin/segments', { body: bodyOf(values) }));

/** On condition that the segment is as it was when `base` was read. */
export function saveSegment(
  id: number,
  isSame: (now: SegmentValues) => boolean,
  values: SegmentValues,
  reason: string,
) {
  const params = { path: { id } };
  return ifUnchanged(
    () => readTagged(api.GET('/api/admin/segments/{id}', { params, cache: 'no-store' })),
    (now) => isSame(valuesOf(now)),
    (etag) =>
      write<unknown>(
        api.PUT('/api/admin/segments/{id}', { params, headers: stated({ reason, etag }), body: bodyOf(values) }),
      ),
  );
}
