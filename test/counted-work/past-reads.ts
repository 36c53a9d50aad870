import { endpoints } from '../../src/features/registry.ts';
import type { CallOptions } from '../support/service.ts';

const context = { appName: 'web-shop', userId: '7' };
const environment = 'development';

/** The bodies of the reads that have one. */
const BODIES: Readonly<Record<string, object>> = {
  getPlayground: { environment, projects: '*', context },
  getAdvancedPlayground: { environments: [environment], projects: '*', context },
};

/** The operations that take `at`: the answer shows the state at an earlier moment. */
export const PAST_READS: readonly string[] = endpoints.flatMap(({ kind, operationId, query }) =>
  kind === 'handled' && query && 'at' in query.properties ? [operationId] : [],
);

/** The read of a reference flag, its project, environment and segment: now, or at a revision. */
export function pastRead(operationId: string, strategyId: string, revision?: number): CallOptions {
  const ofFlag = { projectId: 'default', featureName: 'flag-1', environment, strategyId };
  const body = BODIES[operationId];
  return {
    params: { ...ofFlag, name: environment, id: 1 },
    ...(body && { body }),
    ...(revision !== undefined && { query: `at=${revision}` }),
  };
}
