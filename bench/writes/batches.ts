import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { makeFlags } from '../support/flags.ts';
import { atMost, type Figure, single } from '../support/report.ts';
import { ADMIN_TOKEN, startSeededService } from '../support/service.ts';

const [FLAGS, ENVIRONMENTS, STRATEGIES, ROUNDS, CPU_MS_MAX] = [100, 42, 20, 4, 60];
/** Views and the store finish their work after the answer. */
const SETTLED_MS = 300;

const [first, ...others] = Array.from({ length: ENVIRONMENTS }, (_, index) =>
  index === 0 ? 'development' : `stage-${index}`,
);
const environments = [first ?? '', ...others];
const PROJECT = '/api/admin/projects/default';
const TAG = { type: 'simple', value: 'payments' };

/** In this order, each batch changes all flags. */
const BATCHES: readonly (readonly [name: string, method: string, path: string, body: object])[] = [
  ['on', 'POST', `${PROJECT}/bulk_features/environments/${first}/on`, {}],
  ['off', 'POST', `${PROJECT}/bulk_features/environments/${first}/off`, {}],
  ['stale', 'POST', `${PROJECT}/stale`, { stale: true }],
  ['not stale', 'POST', `${PROJECT}/stale`, { stale: false }],
  ['tag', 'PUT', `${PROJECT}/tags`, { tags: { addedTags: [TAG], removedTags: [] } }],
  ['no tag', 'PUT', `${PROJECT}/tags`, { tags: { addedTags: [], removedTags: [TAG] } }],
  ['archive', 'POST', `${PROJECT}/archive`, {}],
  ['revive', 'POST', `${PROJECT}/revive`, {}],
];

/** Processor time of batches over wide flags, with what follows the answers. The least of the rounds after the first one. */
export async function measureBatches(): Promise<Figure[]> {
  const features = makeFlags(FLAGS, { seed: 5, environments, strategies: STRATEGIES });
  const service = await startSeededService(features, { environments });
  const target = targetOf(service.url);
  const connection = new Connection(target);
  const names = features.map(({ name }) => name);
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const least = new Map<string, number>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, method, path, body] of BATCHES) {
        const request = requestBytes(method, target, path, headers, JSON.stringify({ features: names, ...body }));
        const before = service.cpuS();
        const { status } = await connection.ask(request);
        if (status >= 300) throw new Error(`${name} was answered ${status}`);
        await sleep(SETTLED_MS);
        const cpuMs = (service.cpuS() - before) * 1000;
        if (round > 0) least.set(name, Math.min(cpuMs, least.get(name) ?? cpuMs));
      }
    }
    const wide = `${FLAGS} flags of ${ENVIRONMENTS} environments × ${STRATEGIES} strategies`;
    return Array.from(least, ([name, cpuMs]) => atMost(CPU_MS_MAX, single(`${wide}: ${name}, CPU`, 'ms', cpuMs)));
  } finally {
    connection.close();
    await service.end();
  }
}
