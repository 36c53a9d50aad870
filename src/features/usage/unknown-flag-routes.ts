import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { isoTime } from '../../base/clock.ts';
import { listAnswer } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { reportedApplications } from './applications/present.ts';
import { UnknownFlagsSchema } from './applications/schemas.ts';
import type { ApplicationUse, UnknownUse } from './applications/use.ts';
import { reading } from './metrics-routes.ts';

const route = routesOf('Metrics');

const getUnknownFlags = route('GET /api/admin/metrics/unknown-flags', 'getUnknownFlags', {
  access: { permission: 'READ' },
  summary: 'Flags that applications used in the last days although they do not exist',
  responses: { 200: { description: 'The flags', schema: UnknownFlagsSchema } },
  errors: [503],
  handle: ({ caller }, { state, useReader }) =>
    reading(async () => {
      const found = newestFirst(await useReader.applications(), state, visibleProjects(state, caller));
      return listAnswer({}, 'unknownFlags', found, presentUnknown);
    }),
});

type Asked = readonly [name: string, uses: readonly UnknownUse[]];

const lastMs = ([, uses]: Asked) => uses.reduce((newest, { seenMs }) => Math.max(newest, seenMs), 0);

/** Unknown flags, newest first, that were not created after their use, and that were used by applications that the caller may see. */
function newestFirst(use: ApplicationUse, state: StateReader, visible: VisibleProjects): Asked[] {
  const applications = new Set<string>();
  if (!visible.isAll) {
    const isReported = reportedApplications(use, visible);
    for (const each of state.values('applications')) if (isReported(each)) applications.add(each.appName);
  }
  const missing: Asked[] = [];
  for (const [name, uses] of use.unknownUses()) {
    if (state.get('features', name)) continue;
    const reported = visible.isAll ? uses : uses.filter(({ appName }) => applications.has(appName));
    if (reported.length > 0) missing.push([name, reported]);
  }
  return missing.sort((left, right) => lastMs(right) - lastMs(left));
}

function presentUnknown(asked: Asked) {
  const [name, uses] = asked;
  const byApplication = new Map<string, { environment: string; seenAt: string }[]>();
  for (const { appName, environment, seenMs } of uses) {
    const locations = byApplication.get(appName) ?? [];
    locations.push({ environment, seenAt: isoTime(seenMs) });
    byApplication.set(appName, locations);
  }
  const reports = [...byApplication].map(([appName, environments]) => ({ appName, environments }));
  return { name, lastSeenAt: isoTime(lastMs(asked)), reports };
}

export const unknownFlagEndpoints = [getUnknownFlags];
