import { CLIENT_TOKEN } from '../../support/service.ts';
import type { ContractCase } from '../contract-case.ts';
import type { ContractWorld } from '../contract-world.ts';
import { type Operation, ROWS } from '../rows.ts';

/** A request of each operation that would be taken: what is wrong is then only what a case makes wrong. */
export interface LegalRequest {
  readonly operation: Operation;
  readonly path: (world: ContractWorld) => string;
  readonly body?: unknown;
  /** Whose token: where the operation needs a user. */
  readonly asUser?: boolean;
}

/** The 401, 403 and 415 of an operation, where the contract lists them: they come about in the same way everywhere. */
export function refusalsOf({ operation, path, body, asUser }: LegalRequest): ContractCase[] {
  const method = operation.split(' ')[0] ?? '';
  const listed: readonly number[] = ROWS[operation];
  const sending = body === undefined ? {} : { body };
  const cases: readonly ContractCase[] = [
    {
      operation,
      status: 401,
      when: 'no token is sent',
      send: (world) => world.send(method, path(world), { ...sending, token: null }),
    },
    {
      operation,
      status: 401,
      when: 'the token is not known',
      send: (world) => world.send(method, path(world), { ...sending, token: '*:*.nobody' }),
    },
    {
      operation,
      status: 403,
      when: 'the token is one of SDKs',
      send: (world) => world.send(method, path(world), { ...sending, token: CLIENT_TOKEN }),
    },
    {
      operation,
      status: 415,
      when: 'the body is not said to be JSON',
      send: (world) =>
        world.send(method, path(world), {
          body: JSON.stringify(body ?? {}),
          headers: { 'content-type': 'text/plain' },
          ...(asUser ? { token: world.userToken } : {}),
        }),
    },
  ];
  return cases.filter(({ status }) => listed.includes(status));
}

/** A user who may only read is told 403 as well. */
export function viewerRefused({ operation, path, body }: LegalRequest): ContractCase {
  const method = operation.split(' ')[0] ?? '';
  return {
    operation,
    status: 403,
    when: 'the user may only read',
    send: (world) =>
      world.send(method, path(world), { ...(body === undefined ? {} : { body }), token: world.viewerToken }),
  };
}
