import { assert } from '../base/assert.ts';
import { type AnyEndpoint, pathsOf } from './endpoint.ts';

/** All routes of the service. If a route or an operation id is defined twice, that is a defect, and the start fails. */
export function createRegistry<S>(groups: readonly (readonly AnyEndpoint<S>[])[]): readonly AnyEndpoint<S>[] {
  const endpoints = groups.flat();
  const routes = new Set<string>();
  const operations = new Set<string>();
  for (const endpoint of endpoints) {
    const { method, operationId } = endpoint;
    assert(!operations.has(operationId), `two endpoints are called ${operationId}`);
    operations.add(operationId);
    for (const path of pathsOf(endpoint as AnyEndpoint<never>)) {
      const route = `${method} ${path.replace(/:[^/]+/g, ':')}`;
      assert(!routes.has(route), `two endpoints have the route ${route}`);
      routes.add(route);
    }
  }
  return endpoints;
}
