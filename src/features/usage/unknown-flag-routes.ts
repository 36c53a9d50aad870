import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { isoTime } from '../../base/clock.ts';
import { listAnswer } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import type { ApplicationUse, UnknownUse } from './applications/application-use.ts';
import { reportedApplications } from './applications/present.ts';
import { UnknownFlagsSchema } from './applications/schemas.ts';
import { readOrReject } from './metrics-routes.ts';

const route = routesOf('Metrics');

const getUnknownFlags = route('GET /api/admin/metrics/unknown-flags', 'getUnknownFlags', {
  access: { permission: 'READ' },
  summary: 'Flags that applications used in the last days although they do not exist',
  responses: { 200: { description: 'The flags', schema: UnknownFlagsSchema } },
  errors: [503],
  handle: ({ caller }, { state, useReader }) =>
    readOrReject(async () => {
      const found = newestFirst(await useReader.applications(), state, visibleProjects(state, caller));
      return listAnswer({}, 'unknownFlags', found, presentUnknown);
    }),
});

type UnknownFlag = readonly [name: string, uses: readonly UnknownUse[]];

const lastMs = ([, uses]: UnknownFlag) => uses.reduce((newest, { seenMs }) => Math.max(newest, seenMs), 0);

/** Flags that still do not exist and that were used by applications that the caller may see, newest use first. */
function newestFirst(use: ApplicationUse, state: StateReader, visible: VisibleProjects): UnknownFlag[] {
  const applications = new Set<string>();
  if (!visible.isAll) {
    const isVisible = reportedApplications(use, visible);
    for (const each of state.values('applications')) if (isVisible(each)) applications.add(each.appName);
  }
  const missing: UnknownFlag[] = [];
  for (const [name, uses] of use.unknownUses()) {
    if (state.get('features', name)) continue;
    const reported = visible.isAll ? uses : uses.filter(({ appName }) => applications.has(appName));
    if (reported.length > 0) missing.push([name, reported]);
  }
  return missing.sort((left, right) => lastMs(right) - lastMs(left));
}

function presentUnknown(unknownFlag: UnknownFlag) {
  const [name, uses] = unknownFlag;
  const byApplication = new Map<string, { environment: string; seenAt: string }[]>();
  for (const { appName, environment, seenMs } of uses) {
    const environments = byApplication.get(appName) ?? [];
    environments.push({ environment, seenAt: isoTime(seenMs) });
    byApplication.set(appName, environments);
  }
  const reports = [...byApplication].map(([appName, environments]) => ({ appName, environments }));
  return { name, lastSeenAt: isoTime(lastMs(unknownFlag)), reports };
}

export const unknownFlagEndpoints = [getUnknownFlags];
