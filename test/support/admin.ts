import { expect } from 'vitest';
import type { AuditEvent } from '../../src/model/event.ts';
import type { Feature, FeatureEnvironment } from '../../src/model/feature.ts';
import { SYSTEM_USER_ID } from '../../src/model/primitives.ts';
import type { Project } from '../../src/model/project.ts';
import { type Commit, decodeCommit } from '../../src/state/commit.ts';
import type { Draft } from '../../src/state/draft.ts';
import type { CallOptions, CallResult, TestService } from './service.ts';

export const INVALID = [400, 'ValidationError'] as const;
export const UNAUTHENTICATED = [401, 'AuthenticationRequired'] as const;
export const FORBIDDEN = [403, 'NoAccessError'] as const;
export const NOT_ALLOWED = [403, 'NoAccessError'] as const;
export const MISSING = [404, 'NotFoundError'] as const;
export const CONFLICT = [409, 'NameExistsError'] as const;
export const WRONG_CONTENT_TYPE = [415, 'ContentTypeerror'] as const;

/** Calls, and expects success. */
export async function accepted(
  service: TestService,
  operationId: string,
  options: CallOptions = {},
): Promise<CallResult> {
  const answer = await service.call(operationId, options);
  // Here and below: tests make thousands of these checks, and an `expect` costs more than the rest of one.
  if (answer.status >= 300) expect.fail(`${operationId} answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** Calls, and expects a refusal that changes nothing and has a message for users. */
export async function refused(
  service: TestService,
  operationId: string,
  expected: readonly [status: number, name: string],
  options: CallOptions = {},
): Promise<CallResult> {
  const { state } = service.running.services;
  const { seq } = state;
  const answer = await service.call(operationId, options);
  const { status, body, text } = answer;
  if (status !== expected[0] || body?.name !== expected[1])
    expect([status, body?.name], `${operationId}: ${text}`).toEqual(expected);
  if (!/\w.*\.$/s.test(body.message)) expect.fail(`${operationId} has no message for users: ${text}`);
  const changes = await changesSince(service, seq);
  if (changes.length > 0) expect(changes, `${operationId} changed the state`).toEqual([]);
  return answer;
}

/** Commits after `seq`, without those that the service makes by itself, such as the note that a token was used. */
async function changesSince(service: TestService, seq: number): Promise<Commit[]> {
  const { state, store } = service.running.services;
  if (state.seq === seq) return [];
  const entries = await store.read(seq + 1, state.seq - seq);
  return entries.map(({ bytes }) => decodeCommit(bytes)).filter(({ by }) => by.id !== SYSTEM_USER_ID);
}

/** The audit events that were recorded while `work` ran, oldest first, as `GET /api/admin/events` returns them. */
export async function eventsOf(service: TestService, work: () => Promise<unknown>): Promise<AuditEvent[]> {
  const { state } = service.running.services;
  const before = state.lastEventId;
  await work();
  const { body } = await service.call('getEvents', { query: 'limit=100' });
  return (body.events as AuditEvent[]).filter(({ id }) => id > before).reverse();
}

/** Changes the state directly, without the routes, as a fixture. */
export async function prepare(service: TestService, change: (draft: Draft) => void): Promise<void> {
  const outcome = await service.running.services.writer.submit({ decide: ({ draft }) => change(draft) }, undefined, {
    id: 1,
    name: 'test',
  });
  expect(outcome).toHaveProperty('seq');
}

/** A flag with the properties of `rest`, and defaults for all others. */
export function flag(name: string, rest: Partial<Feature> = {}): Feature {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    name,
    project: 'default',
    type: 'release',
    description: null,
    stale: false,
    archived: false,
    archivedAt: null,
    impressionData: false,
    createdAt: at,
    createdBy: { id: 1, name: 'test' },
    tags: [],
    dependencies: [],
    environments: [],
    ...rest,
  };
}

/** A project with the environment `development`. */
export function projectOf(id: string): Project {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development'],
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
  };
}

/** A flag's configuration in one environment: on, with one strategy that uses the segments. */
export function switchedOn(environment: string, segments: readonly number[] = []): FeatureEnvironment {
  const strategy = {
    id: `strategy-${environment}-${segments.join('-')}`,
    name: 'default',
    title: null,
    disabled: false,
    sortOrder: 0,
    parameters: {},
    constraints: [],
    segments: [...segments],
    variants: [],
  };
  return { environment, enabled: true, strategies: [strategy], variants: [] };
}
