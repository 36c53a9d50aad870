import { expect, it } from 'vitest';
import { RouteTable } from '../../../src/http/front/route-table.ts';

const calls: string[] = [];
const serving = (name: string) => () => void calls.push(name);

function tableOf(...routes: readonly (readonly ['get' | 'head' | 'post', string, string?])[]): RouteTable {
  const table = new RouteTable();
  for (const [method, pattern, name = pattern] of routes) table.add(method, pattern, serving(name));
  return table;
}

/** The route that is found, and its parameters. */
function found(table: RouteTable, method: string, path: string): readonly string[] | undefined {
  const match = table.find(method, path);
  if (!match) return undefined;
  match.serve(undefined as never, undefined as never);
  return [calls.pop() ?? '', ...match.parameters];
}

it('of two routes with one method and path, the first one counts', () => {
  const table = tableOf(['get', '/flags/:name', 'first'], ['get', '/flags/:other', 'second'], ['post', '/flags/:name']);
  expect(found(table, 'GET', '/flags/a')).toEqual(['first', 'a']);
  expect(found(table, 'POST', '/flags/a')).toEqual(['/flags/:name', 'a']);
});

it('a fixed name is tried before a parameter, which is tried if nothing is found below that name', () => {
  const table = tableOf(['get', '/flags/all'], ['get', '/flags/:name/tags'], ['get', '/:kind/all/tags']);
  expect(found(table, 'GET', '/flags/all')).toEqual(['/flags/all']);
  expect(found(table, 'GET', '/flags/all/tags')).toEqual(['/flags/:name/tags', 'all']);
  expect(found(table, 'GET', '/other/all/tags')).toEqual(['/:kind/all/tags', 'other']);
  expect(found(table, 'GET', '/flags//tags')).toBeUndefined();
  expect(found(table, 'get', '/flags/all')).toBeUndefined();
});

it('several slashes count as one where nothing else is found, and a target that is no path matches nothing', () => {
  const table = tableOf(['get', '/flags/all'], ['get', '/:name']);
  expect(found(table, 'GET', '//flags///all')).toEqual(['/flags/all']);
  expect(found(table, 'GET', '*')).toBeUndefined();
  expect(found(table, 'GET', 'x/flags')).toBeUndefined();
});
