import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import { endpoints } from '../../src/features/registry.ts';
import { ERRORS, errorBody, errorNameOfStatus } from '../../src/http/errors.ts';
import { errorStatuses } from '../../src/http/openapi.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the errors', () => {
  it('are the same in the registry and in the documentation', () => {
    const rows = [...read('docs/reference/errors.md').matchAll(/^\| (\w+) \| (\d{3}) \| (.+?) \| (.+) \|$/gm)].map(
      ([, name, status, meaning, when]) => [name, { status: Number(status), meaning, when }],
    );
    expect(Object.fromEntries(rows)).toEqual(ERRORS);
    expect(rows.map(([name]) => name)).toEqual(Object.keys(ERRORS));
  });

  it('are the same in the registry and in the type of rejections', () => {
    const union = /export type ErrorName =([^;]+);/.exec(read('src/base/rejection.ts'))?.[1] ?? '';
    const names = [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(ERRORS)));
    expect(names).toHaveLength(Object.keys(ERRORS).length);
  });

  it('have the exact names of the contract', () => {
    expect(Object.fromEntries(Object.entries(ERRORS).map(([name, { status }]) => [status, name]))).toMatchObject({
      400: 'ValidationError',
      401: 'AuthenticationRequired',
      403: 'NoAccessError',
      404: 'NotFoundError',
      409: 'NameExistsError',
      415: 'ContentTypeerror',
    });
  });

  it('have one name per status, for every status that a route declares', () => {
    const statuses = Object.values(ERRORS).map(({ status }) => status);
    expect(new Set(statuses).size).toBe(statuses.length);
    for (const endpoint of endpoints) {
      for (const status of errorStatuses(endpoint))
        expect(errorNameOfStatus(status), endpoint.operationId).toBeDefined();
    }
  });

  it('contain the sign-on form if and only if there is no credential: Unleash’s pages need it to show the form', () => {
    const form = { path: '/auth/simple/login', type: 'password', defaultHidden: false };
    expect(errorBody(new Rejection('AuthenticationRequired', 'No.'))).toMatchObject(form);
    expect(errorBody(new Rejection('NoAccessError', 'No.'))).not.toHaveProperty('path');
  });
});
