import type { ApplicationUse, UnknownUse } from '../../actors/application-use.ts';
import { isoTime } from '../../base/clock.ts';
import { listAnswer } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import { endpoint } from '../endpoint.ts';
import { UnknownFlagsSchema } from './application-schemas.ts';
import { reading } from './client-metrics.ts';

const getUnknownFlags = endpoint({
  operationId: 'getUnknownFlags',
  method: 'get',
  path: '/api/admin/metrics/unknown-flags',
  tag: 'Metrics',
  access: { permission: 'READ' },
  summary: 'Flags that applications asked for in the last days and that do not exist',
  responses: { 200: { description: 'The flags', schema: UnknownFlagsSchema } },
  errors: [503],
  handle: (_request, { state, useReader }) =>
    reading(async () => {
      const found = newestFirst(await useReader.applications(), state);
      return listAnswer({}, 'unknownFlags', found, presentUnknown);
    }),
});

type Asked = readonly [name: string, uses: readonly UnknownUse[]];

const lastMs = ([, uses]: Asked) => uses.reduce((newest, { seenMs }) => Math.max(newest, seenMs), 0);

/** Those that were not created meanwhile. */
function newestFirst(use: ApplicationUse, state: StateReader): Asked[] {
  const missing = [...use.unknownUses()].filter(([name]) => state.get('features', name) === undefined);
  return missing.sort((left, right) => lastMs(right) - lastMs(left));
}

function presentUnknown(asked: Asked) {
  const [name, uses] = asked;
  const byApplication = new Map<string, { environment: string; seenAt: string }[]>();
  for (const { appName, environment, seenMs } of uses) {
    const places = byApplication.get(appName) ?? [];
    places.push({ environment, seenAt: isoTime(seenMs) });
    byApplication.set(appName, places);
  }
  const reports = [...byApplication].map(([appName, environments]) => ({ appName, environments }));
  return { name, lastSeenAt: isoTime(lastMs(asked)), reports };
}

export const unknownFlagEndpoints = [getUnknownFlags];
