import { expect } from 'vitest';
import type { Services } from '../../src/features/services.ts';
import type { AuditEvent } from '../../src/model/event.ts';
import { decodeEvent } from '../../src/state/commit.ts';
import type { CallOptions, CallResult, TestService } from './service.ts';

/** A constraint: the field has one of the values. */
export const is = (contextName: string, ...values: readonly string[]) => ({ contextName, operator: 'IN', values });

/** Shorthand over one service for tests about flags of the project `default`. */
export class Flags {
  readonly service: TestService;
  #count = 0;

  constructor(service: TestService) {
    this.service = service;
  }

  get state() {
    return this.service.running.services.state;
  }

  /** A name that no flag has. */
  name(prefix = 'flag'): string {
    this.#count++;
    return `${prefix}-${this.#count}`;
  }

  /** Creates a flag and returns its name. */
  async create(body: Record<string, unknown> = {}, projectId = 'default'): Promise<string> {
    const name = this.name();
    const answer = await this.service.call('createFeature', { params: { projectId }, body: { name, ...body } });
    expect(answer.status).toBe(201);
    return name;
  }

  /** Creates a flag that is on in development for contexts that meet the constraints of its one strategy, and returns its name. */
  async createFor(
    constraints: readonly object[],
    strategy: object = {},
    body: Record<string, unknown> = {},
  ): Promise<string> {
    const location = { featureName: await this.create(body), environment: 'development' };
    await this.call('addFeatureStrategy', location, { name: 'default', parameters: {}, constraints, ...strategy });
    await this.call('toggleFeatureEnvironmentOn', location);
    return location.featureName;
  }

  /** Calls, and expects success. */
  async call(operationId: string, params: Record<string, string | number> = {}, body?: unknown, query?: string) {
    const answer = await this.service.call(operationId, { params: { projectId: 'default', ...params }, body, query });
    if (answer.status >= 300) expect.fail(`${operationId} answered ${answer.status}: ${answer.text}`);
    return answer;
  }

  read(featureName: string) {
    return this.call('getFeature', { featureName });
  }

  /** The flag's entry for an environment. */
  async environment(featureName: string, environment = 'development') {
    return (await this.call('getFeatureEnvironment', { featureName, environment })).body;
  }

  /** Calls, and expects a refusal that changes nothing. */
  async refused(
    operationId: string,
    expected: readonly [status: number, name: string],
    options: CallOptions = {},
  ): Promise<CallResult> {
    const before = this.#picture();
    const answer = await this.service.call(operationId, {
      ...options,
      params: { projectId: 'default', environment: 'development', ...options.params },
    });
    expect([answer.status, answer.body?.name], answer.text).toEqual(expected);
    expect(this.#picture()).toBe(before);
    return answer;
  }

  /** Everything about flags, as text. Not the sequence number: noting when a token was used is a commit, too. */
  #picture(): string {
    const { state } = this;
    return JSON.stringify([state.lastEventId, ...state.values('features'), ...state.values('strategyTypes')]);
  }

  /** The audit events that were recorded while `work` ran. */
  async events(work: () => Promise<unknown>): Promise<AuditEvent[]> {
    const first = this.state.lastEventId + 1;
    await work();
    return readEvents(this.service.running.services, first);
  }

  /** A second project, with both environments. */
  async otherProject(): Promise<string> {
    const id = this.name('project');
    const project = this.state.get('projects', 'default');
    if (!project) throw new Error('there is no default project');
    const put = await this.service.running.services.writer.submit(
      { decide: ({ draft }) => draft.put('projects', { ...project, id, name: id }) },
      undefined,
      { id: 1, name: 'test' },
    );
    expect(put).toHaveProperty('seq');
    return id;
  }

  /** A segment; `project` null makes it usable everywhere. */
  async segment(project: string | null = null): Promise<number> {
    const outcome = await this.service.running.services.writer.submit(
      {
        decide: ({ draft, now }) => {
          const id = draft.next('segments');
          const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }];
          const name = `segment-${id}`;
          draft.put('segments', {
            id,
            name,
            description: null,
            constraints,
            project,
            createdBy: 'test',
            createdAt: now,
          });
          return id;
        },
      },
      undefined,
      { id: 1, name: 'test' },
    );
    return 'value' in outcome ? outcome.value : 0;
  }
}

async function readEvents({ store }: Services, first: number): Promise<AuditEvent[]> {
  const entries = await store.readEventsForward(first, 1000);
  return entries.map((entry) => decodeEvent(entry.bytes));
}

export const INVALID = [400, 'ValidationError'] as const;
export const MISSING = [404, 'NotFoundError'] as const;
export const TAKEN = [409, 'NameExistsError'] as const;
export const NOT_ALLOWED = [403, 'NoAccessError'] as const;
