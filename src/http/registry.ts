import { assert } from '../base/assert.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** All routes of the service. If a route or an operation id is defined twice, that is a defect, and the start fails. */
export function createRegistry<S>(groups: readonly (readonly AnyEndpoint<S>[])[]): readonly AnyEndpoint<S>[] {
  const endpoints = groups.flat();
  const routes = new Set<string>();
  const operations = new Set<string>();
  for (const { method, path, operationId } of endpoints) {
    const route = `${method} ${path.replace(/:[^/]+/g, ':')}`;
    assert(!routes.has(route), `two endpoints have the route ${route}`);
    assert(!operations.has(operationId), `two endpoints are called ${operationId}`);
    routes.add(route);
    operations.add(operationId);
  }
  return endpoints;
}
