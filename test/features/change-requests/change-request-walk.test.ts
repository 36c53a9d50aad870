import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { type AnyCommand, type Decidable, decideInSteps } from '../../../src/engine/command.ts';
import { decide, type Order } from '../../../src/engine/decision.ts';
import { commandFor } from '../../../src/features/change-requests/actions.ts';
import { applyDueChangeRequest } from '../../../src/features/change-requests/applying.ts';
import { discardChange, discardChangeRequest, requestChanges } from '../../../src/features/change-requests/commands.ts';
import { moveChangeRequest } from '../../../src/features/change-requests/moves.ts';
import { archiveFeatures, reviveFeatures } from '../../../src/features/flags/archive/commands.ts';
import { switchFeatures } from '../../../src/features/flags/environments/switch-features.ts';
import { removeStrategy } from '../../../src/features/flags/strategies/commands.ts';
import { loadGuards } from '../../../src/features/guards.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { type Caller, systemCaller } from '../../../src/model/caller.ts';
import type { ChangeRequest, ChangeRequestState } from '../../../src/model/change-request.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import type { StateReader } from '../../../src/state/collections.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { caller, give, user } from '../../access/people.ts';
import { seedWorld } from '../../support/command-world.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { contextOf } from '../../support/stored-commands.ts';
import { SEED } from '../../support/tiers/seed.ts';

const GUARDS = await loadGuards();

const WALKS = Number(process.env.CHANGE_REQUEST_WALKS ?? 60);
/** The states that the walks must reach together. One walk of 14 reaches the rarest: 60 walks may miss it, WALKS_THAT_REACH_ALL do not. */
const REACHED = ['Draft', 'In review', 'Cancelled', 'Rejected', 'Approved', 'Applied', 'Scheduled pending'] as const;
const WALKS_THAT_REACH_ALL = 1_200;
const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const LOCATION = { project: 'default', environment: 'development' };

/** Two members, the owner, and a user with read access only. */
const [ADA, GRACE, OWNER, VIEWER] = [11, 12, 13, 14] as const;
const PEOPLE = [ADA, GRACE, OWNER, VIEWER] as const;
type Person = (typeof PEOPLE)[number];

const WANTED = [
  { action: 'updateEnabled', feature: 'live', payload: { enabled: false } },
  { action: 'updateEnabled', feature: 'child', payload: { enabled: true } },
  { action: 'addStrategy', feature: 'live', payload: { name: 'flexibleRollout', segments: [2] } },
  { action: 'updateStrategy', feature: 'live', payload: { id: 's2', title: 'another' } },
  { action: 'deleteStrategy', feature: 'live', payload: { id: 's2' } },
  { action: 'reorderStrategy', feature: 'live', payload: [{ id: 's2', sortOrder: -3 }] },
  { action: 'patchVariant', feature: 'live', payload: { variants: [{ name: 'blue', weight: 1000 }] } },
  { action: 'deleteDependency', feature: 'child', payload: null },
  { action: 'addDependency', feature: 'live', payload: { feature: 'parent' } },
  { action: 'addStrategy', feature: 'nothing', payload: { name: 'default' } },
] as const;

type Step =
  | { readonly kind: 'ask'; readonly by: Person; readonly which: number; readonly beginsDraft: boolean }
  | { readonly kind: 'drop' | 'discard'; readonly by: Person; readonly target: number }
  | {
      readonly kind: 'move';
      readonly by: Person;
      readonly target: number;
      readonly to: ChangeRequestState;
      readonly hours: number;
    }
  | { readonly kind: 'advance'; readonly by: Person; readonly target: number; readonly hours: number }
  | { readonly kind: 'direct'; readonly by: Person }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'disturb'; readonly which: number };

const person = fc.constantFrom<Person>(ADA, ADA, GRACE, GRACE, OWNER, VIEWER);
const target = fc.nat(5);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        by: person,
        which: fc.nat(WANTED.length - 1),
        beginsDraft: fc.nat(3).map((drawn) => drawn === 0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'discard' as const), by: person, target }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant('move' as const),
        by: person,
        target,
        hours: fc.integer({ min: -1, max: 5 }),
        to: fc.constantFrom<ChangeRequestState>(
          ...([
            'In review',
            'In review',
            'Approved',
            'Approved',
            'Approved',
            'Scheduled',
            'Applied',
            'Applied',
          ] as const),
          ...(['Draft', 'Cancelled', 'Rejected'] as const),
        ),
      }),
    },
    {
      weight: 14,
      arbitrary: fc.record({
        kind: fc.constant('advance' as const),
        by: person,
        target,
        hours: fc.integer({ min: 0, max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('direct' as const), by: person }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('disturb' as const), which: fc.nat(2) }) },
  ),
  { minLength: 10, maxLength: 60 },
);

/** A separate state, in which every command is decided as the writer decides it. */
class Walk {
  readonly state = new State();
  readonly reached = new Set<string>();
  #nowMs = START;

  constructor() {
    const seed = seedWorld(this.state);
    for (const id of ['1', '2', '3']) seed.remove('changeRequests', id);
    for (const id of PEOPLE) seed.put('users', user(id));
    for (const id of [ADA, GRACE]) give(seed, 'default', 'user', id, [ROLE_ID.member]);
    give(seed, 'default', 'user', OWNER, [ROLE_ID.owner]);
    seed.put('changeRequestConfigs', { ...LOCATION, enabled: true, requiredApprovals: 2 });
    this.run({ decide: ({ draft }) => draft.absorb(seed.changes()) }, {}, systemCaller());
  }

  get now(): string {
    return new Date(this.#nowMs).toISOString();
  }

  at(hours: number): string {
    return new Date(this.#nowMs + hours * HOUR_MS).toISOString();
  }

  wait(hours: number): void {
    this.#nowMs += hours * HOUR_MS;
  }

  /** The rejection, or null. A refused command changes nothing; an accepted one makes at most one commit. */
  run<Input>(command: Decidable<Input, unknown>, input: Input, by: Caller): Rejection | null {
    const digest = stateDigest(this.state);
    const order = { command, input, caller: by } as unknown as Order;
    const { outcomes, commits } = atOnce(
      decide([order], this.state, this.now, { guards: GUARDS, limits: DEFAULT_LIMITS }),
    );
    const [outcome] = outcomes;
    if (outcome?.kind === 'failed') throw outcome.error;
    expect(commits.length).toBeLessThanOrEqual(1);
    for (const commit of commits) this.state.apply(commit);
    if (outcome?.kind !== 'rejected') return null;
    expect(stateDigest(this.state)).toBe(digest);
    return outcome.rejection;
  }

  requests(): ChangeRequest[] {
    const all = [...this.state.values('changeRequests')].sort((left, right) => left.id - right.id);
    for (const { state, schedule } of all) this.reached.add(schedule ? `${state} ${schedule.status}` : state);
    return all;
  }

  request(id: number): ChangeRequest | undefined {
    return this.state.get('changeRequests', String(id));
  }

  /** Flags and segments after the commands of the request, one after the other; null when one of them is refused. */
  written(request: ChangeRequest): string | null {
    const draft = new Draft(this.state);
    const context = { ...contextOf(draft, systemCaller(), []), now: this.now };
    for (const { command, input } of request.changes) {
      const found = COMMANDS_BY_NAME.get(command) as AnyCommand;
      if (atOnce(decideInSteps(found, context, input)) instanceof Rejection) return null;
    }
    return contentOf(draft, this.state);
  }
}

/** The commands, found in another way than the tested code finds them. */
const COMMANDS_BY_NAME = new Map(
  WANTED.map(({ action, feature, payload }) => {
    const ready = atOnce(commandFor(action, { ...LOCATION, feature }, payload));
    if (ready instanceof Rejection) throw new Error(ready.message);
    return [ready.command.name, ready.command] as const;
  }),
);

/** Flags and segments, without random ids of new strategies and without what the writer records: who changed them, and when. */
function contentOf(reader: StateReader, before: State): string {
  const known = new Set(
    [...before.values('features')].flatMap(({ environments }) =>
      environments.flatMap(({ strategies }) => strategies.map(({ id }) => id)),
    ),
  );
  const features = [...reader.values('features')].sort((left, right) => (left.name < right.name ? -1 : 1));
  const plain = features.map((feature) => ({
    ...feature,
    collaborators: [],
    changedAt: '',
    environments: feature.environments.map((config) => ({
      ...config,
      strategies: config.strategies.map((strategy) => ({
        ...strategy,
        id: known.has(strategy.id) ? strategy.id : 'new',
      })),
    })),
  }));
  return JSON.stringify([plain, [...reader.values('segments')]]);
}

const mayReview = (by: Person) => by !== VIEWER;

/** The rules, implemented a second time. */
function isLegal(walk: Walk, request: ChangeRequest, { by, to, hours }: Extract<Step, { kind: 'move' }>): boolean {
  const { state, createdBy, approvals, changes } = request;
  const isOwn = createdBy.id === by;
  const isSeen = state === 'In review' || state === 'Approved' || state === 'Scheduled';
  const isReady = (state === 'Approved' || state === 'Scheduled') && mayReview(by);
  switch (to) {
    case 'In review':
      return state === 'Draft' && isOwn && changes.length > 0;
    case 'Approved':
      return state === 'In review' && mayReview(by) && !isOwn && approvals.every((approval) => approval.by.id !== by);
    case 'Rejected':
      return isSeen && mayReview(by) && !isOwn;
    case 'Cancelled':
      return isSeen && (isOwn || by === OWNER);
    case 'Draft':
      return (state === 'In review' || state === 'Approved') && isOwn;
    case 'Scheduled':
      return isReady && hours > 0;
    case 'Applied':
      return isReady && walk.written(request) !== null;
  }
}

function move(walk: Walk, step: Extract<Step, { kind: 'move' }>): void {
  const all = walk.requests();
  const request = all[step.target % Math.max(1, all.length)];
  if (!request) return;
  const legal = isLegal(walk, request, step);
  const wanted = step.to === 'Applied' && legal ? walk.written(request) : contentOf(walk.state, walk.state);
  const before = new State();
  for (const feature of walk.state.values('features')) before.load('features', feature.name, feature);
  const input = { project: 'default', id: request.id, state: step.to, scheduledAt: walk.at(step.hours) };
  const rejection = walk.run(moveChangeRequest, input, caller(step.by));
  expect(rejection === null, `${request.state} → ${step.to} by ${step.by}: ${rejection?.message}`).toBe(legal);
  expect(contentOf(walk.state, before)).toBe(wanted);
  const after = walk.request(request.id);
  if (!legal) expect(after).toEqual(request);
  else if (step.to !== 'Approved') expect(after?.state).toBe(step.to);
  else {
    expect(after?.approvals.map((approval) => approval.by.id)).toEqual([
      ...request.approvals.map((one) => one.by.id),
      step.by,
    ]);
    expect(after?.state).toBe((after?.approvals.length ?? 0) >= 2 ? 'Approved' : 'In review');
  }
}

/** Three replicas find the due requests at the same time. */
function fire(walk: Walk): void {
  for (const request of walk.requests()) {
    const { schedule } = request;
    if (!schedule) continue;
    const isDue = schedule.status === 'pending' && schedule.scheduledAt <= walk.now;
    const wanted = isDue ? walk.written(request) : null;
    const before = new State();
    for (const feature of walk.state.values('features')) before.load('features', feature.name, feature);
    const unchanged = contentOf(walk.state, before);
    for (let replica = 0; replica < 3; replica++) {
      expect(walk.run(applyDueChangeRequest, { id: request.id }, systemCaller(schedule.by))).toBeNull();
      expect(contentOf(walk.state, before)).toBe(wanted ?? unchanged);
    }
    const after = walk.request(request.id);
    if (!isDue) expect(after).toEqual(request);
    else if (wanted !== null) expect(after?.state).toBe('Applied');
    else expect(after?.schedule).toMatchObject({ status: 'failed', reason: expect.stringMatching(/\w/) });
  }
}

/** The next state on the way to `Applied`. */
const NEXT: Partial<Record<ChangeRequestState, ChangeRequestState>> = {
  Draft: 'In review',
  'In review': 'Approved',
  Approved: 'Applied',
  Scheduled: 'Applied',
};

function take(walk: Walk, step: Step): void {
  const all = walk.requests();
  switch (step.kind) {
    case 'ask': {
      const draftIds = () =>
        walk
          .requests()
          .flatMap(({ id, state, createdBy }) => (state === 'Draft' && createdBy.id === step.by ? [id] : []));
      const before = draftIds();
      const changes = [WANTED[step.which] as never];
      const input = { ...LOCATION, changes, ...(step.beginsDraft ? { draft: 'new' as const } : {}) };
      const rejection = walk.run(requestChanges, input, caller(step.by));
      if (step.by === VIEWER) expect(rejection?.name).toBe('NoAccessError');
      // A person may have several drafts. Changes begin another one only if that is asked for, or if there is none.
      const begun = rejection === null && (step.beginsDraft || before.length === 0) ? 1 : 0;
      expect(draftIds()).toHaveLength(before.length + begun);
      return;
    }
    case 'drop':
    case 'discard': {
      const request = all[step.target % Math.max(1, all.length)];
      const [change] = request?.changes ?? [];
      if (!request || !change) return;
      const location = { project: 'default', id: request.id };
      const rejection =
        step.kind === 'discard'
          ? walk.run(discardChangeRequest, location, caller(step.by))
          : walk.run(discardChange, { ...location, changeId: change.id }, caller(step.by));
      const states = step.kind === 'discard' ? ['Draft'] : ['Draft', 'In review', 'Approved'];
      const isLast = step.kind === 'drop' && request.state !== 'Draft' && request.changes.length === 1;
      expect(rejection === null).toBe(request.createdBy.id === step.by && states.includes(request.state) && !isLast);
      if (rejection === null && step.kind === 'drop') expect(walk.request(request.id)?.approvals).toEqual([]);
      return;
    }
    case 'direct': {
      const input = { ...LOCATION, names: ['live'], enabled: false, activateDisabledStrategies: false };
      const config = walk.state.get('features', 'live')?.environments.find((one) => one.environment === 'development');
      const rejection = walk.run(switchFeatures, input, caller(step.by));
      if (config?.enabled && !walk.state.get('features', 'live')?.archived)
        expect(rejection?.name).toBe('NoAccessError');
      return;
    }
    case 'wait':
      walk.wait(step.hours);
      fire(walk);
      return;
    case 'advance': {
      const open = all.filter(({ state }) => NEXT[state] !== undefined);
      const request = open[step.target % Math.max(1, open.length)];
      if (!request) return;
      const to = request.state === 'Approved' && step.hours > 0 ? 'Scheduled' : NEXT[request.state];
      const by = request.state === 'Draft' ? (request.createdBy.id as Person) : step.by;
      move(walk, { ...step, kind: 'move', by, to: to as ChangeRequestState, target: all.indexOf(request) });
      return;
    }
    case 'move':
      move(walk, step);
      return;
    case 'disturb': {
      const names = { project: 'default', names: ['child'] };
      if (step.which === 0) walk.run(archiveFeatures, names, systemCaller());
      else if (step.which === 1) walk.run(reviveFeatures, names, systemCaller());
      else walk.run(removeStrategy, { ...LOCATION, featureName: 'live', strategyId: 's2' }, systemCaller());
    }
  }
}

describe('change requests of several users, in random steps', () => {
  it('change state by the rules only, and have the result of their commands', () => {
    const reached = new Set<string>();
    const missing = () => REACHED.filter((one) => !reached.has(one));
    const walks = fc.property(steps, (walked) => {
      const walk = new Walk();
      for (const step of walked) take(walk, step);
      walk.requests();
      for (const one of walk.reached) reached.add(one);
    });
    fc.assert(walks, { numRuns: WALKS });
    let made = WALKS;
    for (; missing().length > 0 && made < WALKS_THAT_REACH_ALL; made += 60) {
      fc.assert(walks, { seed: SEED + made, numRuns: 60 });
    }
    if (WALKS > 1_000) console.info([...reached].sort());
    expect(missing(), `states that none of ${made} walks reached`).toEqual([]);
  });

  // Random steps reach a schedule that fails in one of about a thousand walks.
  it.each([
    ['applied', 0, { state: 'Applied' }],
    ['refused, with the reason, when what they change is gone', 4, { schedule: { status: 'failed' } }],
  ])('after draft, review, approvals and schedule, are %s', (_what, which, result) => {
    const walk = new Walk();
    const go = (kind: ChangeRequestState, by: Person, hours = 1) =>
      take(walk, { kind: 'move', by, target: 0, to: kind, hours });
    take(walk, { kind: 'ask', by: ADA, which, beginsDraft: false });
    take(walk, { kind: 'ask', by: ADA, which: 2, beginsDraft: false });
    go('In review', ADA);
    go('Approved', GRACE);
    go('Approved', OWNER);
    go('Scheduled', GRACE, 2);
    take(walk, { kind: 'disturb', which: 2 });
    take(walk, { kind: 'wait', hours: 1 });
    expect(walk.requests()[0]?.state).toBe('Scheduled');
    take(walk, { kind: 'wait', hours: 1 });
    expect(walk.requests()[0]).toMatchObject(result);
  });
});
