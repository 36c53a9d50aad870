import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { type CommandContext, command, decideInSteps, type NewEvent } from '../../../src/engine/command.ts';
import {
  commandFor,
  commandOfStoredChange,
  payloadOf,
  type ReadyCommand,
} from '../../../src/features/change-requests/actions.ts';
import { createFeature } from '../../../src/features/flags/commands.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { CHANGE_ACTIONS, type ChangeAction, type RequestedChange } from '../../../src/model/change-request.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { ACCEPTED_INPUTS, SPECIAL_TEXTS, seedWorld } from '../../support/command-world.ts';
import {
  COMMANDS,
  commandOf,
  contextOf,
  outcomeOf,
  STATED_COMMANDS,
  storageProblem,
} from '../../support/stored-commands.ts';

/** The keywords of schemas that are used here. */
interface Keywords {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: TSchema;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Values that conform to the schema, many of them names of entities in the seeded state. */
function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, properties, required = [], items, anyOf, allOf, minItems, maxItems, ...rest } = schema as Keywords;
  if (rest.enum) return fc.constantFrom(...rest.enum);
  if ('const' in rest) return fc.constant(rest.const);
  if (anyOf) return fc.oneof(...anyOf.map(arbitraryOf));
  if (allOf || type === 'string') return fc.constantFrom(...SPECIAL_TEXTS.filter((text) => Check(schema, text)));
  if (type === 'integer') return fc.constantFrom(...[1, 2, 3, 0, 99, -5].filter((number) => Check(schema, number)));
  if (type === 'number') return fc.constantFrom(...[0, 1, 500, 0.5, 1000].filter((number) => Check(schema, number)));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (items) return fc.array(arbitraryOf(items), { minLength: minItems ?? 0, maxLength: Math.min(maxItems ?? 3, 3) });
  if (properties) {
    const members = Object.entries(properties).map(([name, member]) => [name, arbitraryOf(member)]);
    const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members);
    return fc.record(model, { requiredKeys: [...required], noNullPrototype: true });
  }
  if (rest.additionalProperties) {
    return fc.dictionary(fc.constantFrom('rollout', 'stickiness', 'x'), arbitraryOf(rest.additionalProperties));
  }
  return fc.oneof(fc.constantFrom(...SPECIAL_TEXTS), fc.jsonValue({ maxDepth: 2 }));
}

/** Properties of entities that no caller may set, and an unknown one. */
const EXTRA = [
  'id',
  'archivedAt',
  'createdAt',
  'createdBy',
  'environments',
  'protected',
  'secret',
  'editable',
  'surplus',
];

/** The value with extra properties in every object for which the schema defines properties. */
function withExtra(schema: TSchema, value: unknown): unknown {
  const { anyOf, items, properties, additionalProperties } = schema as Keywords;
  const chosen = anyOf?.find((one) => Check(one, value));
  if (chosen) return withExtra(chosen, value);
  if (items && Array.isArray(value)) return value.map((item) => withExtra(items, item));
  // A context may have any field.
  if (!properties || additionalProperties === true) return value;
  const stated = Object.entries(value as object).map(([name, member]) => [
    name,
    withExtra(properties[name] ?? {}, member),
  ]);
  const extra = EXTRA.filter((name) => !(name in properties)).map((name) => [name, 'surplus']);
  return Object.fromEntries([...stated, ...extra]);
}

const state = new State();
let world: Draft;

beforeAll(() => {
  world = seedWorld(state);
});

const kebab = (name: string) => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

describe('the name of a command', () => {
  it('is the name of its constant, in kebab-case', () => {
    for (const [constant, { name }] of STATED_COMMANDS) expect(name).toBe(kebab(constant));
  });

  it('is unique', () => {
    expect(COMMANDS.length).toBeGreaterThan(100);
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  });

  it('leads to the same object that handlers submit', () => {
    expect(commandOf('create-feature')).toBe(createFeature);
  });
});

describe('a stored command', () => {
  it.each(COMMANDS.map(({ name }) => name))('%s is accepted, stored or not', async (name) => {
    const found = commandOf(name);
    const input = ACCEPTED_INPUTS[name];
    expect(input, `ACCEPTED_INPUTS has no input of ${name}`).toBeDefined();
    const outcome = outcomeOf(world, found, input, systemCaller());
    expect(outcome.accepted, outcome.text).toBe(true);
    expect(await storageProblem(world, found, input)).toBeUndefined();
  });

  it.each(COMMANDS.map(({ name }) => name))('%s has the same result stored or not, for any input', async (name) => {
    const found = commandOf(name);
    await fc.assert(
      fc.asyncProperty(arbitraryOf(found.input), async (input) => {
        expect(Check(found.input, input)).toBe(true);
        expect(await storageProblem(world, found, input)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it.each(COMMANDS.map(({ name }) => name))(
    '%s ignores properties of the input that its schema does not define',
    (name) => {
      const found = commandOf(name);
      const input = withExtra(found.input, ACCEPTED_INPUTS[name]);
      expect(Check(found.input, input)).toBe(true);
      const direct = outcomeOf(world, found, ACCEPTED_INPUTS[name], systemCaller());
      expect(outcomeOf(world, found, input, systemCaller())).toEqual(direct);
    },
  );

  it('has the same result when several are decided as one change as when they are decided one after the other', () => {
    const wanted: readonly (readonly [string, object])[] = [
      ['create-feature', { project: 'default', name: 'fresh' }],
      [
        'add-strategy',
        { project: 'default', featureName: 'fresh', environment: 'development', strategy: { name: 'default' } },
      ],
      [
        'switch-features',
        {
          project: 'default',
          names: ['fresh', 'live'],
          environment: 'development',
          enabled: true,
          activateDisabledStrategies: true,
        },
      ],
      ['update-tags', { featureName: 'fresh', addedTags: [{ type: 'simple', value: 'tag' }], removedTags: [] }],
      ['archive-features', { project: 'default', names: ['child'] }],
      ['delete-features', { project: 'default', names: ['archived', 'child'] }],
    ];
    const [whole, batch] = [new Draft(world), new Draft(world)];
    const [together, apart]: NewEvent[][] = [[], []];
    const [one, other] = [whole, batch].map((draft, at) =>
      contextOf(draft, systemCaller(), [together, apart][at] ?? []),
    );
    for (const [name, input] of wanted) {
      const found = commandOf(name);
      const stored: unknown = JSON.parse(JSON.stringify(input));
      expect(atOnce(decideInSteps(found, one as CommandContext, stored))).not.toBeInstanceOf(Rejection);
      const layer = new Draft(batch);
      atOnce(decideInSteps(found, { ...(other as CommandContext), draft: layer }, input));
      batch.absorb(layer.changes());
    }
    const inOrder = (draft: Draft) => draft.changes().sort((left, right) => (left.key < right.key ? -1 : 1));
    expect(inOrder(whole)).toEqual(inOrder(batch));
    expect(together).toEqual(apart);
    expect(together).toHaveLength(9);
  });

  it('is reported as a problem when its input contains a function', async () => {
    const closure = command({
      name: 'call-back',
      input: { type: 'object' } as TSchema,
      decide: (_context, input) => (input as { change?: () => number }).change?.() ?? null,
    });
    expect(await storageProblem(world, closure, { change: () => 1 })).toContain('call-back');
  });
});

/** By action: the commands that it can become, depending on its payload. */
const COMMANDS_OF: Readonly<Record<ChangeAction, readonly string[]>> = {
  updateEnabled: ['switch-features'],
  addStrategy: ['add-strategy'],
  updateStrategy: ['update-strategy'],
  deleteStrategy: ['remove-strategy'],
  reorderStrategy: ['sort-strategies'],
  patchVariant: ['set-variants'],
  addReleasePlan: ['add-release-plan'],
  deleteReleasePlan: ['remove-release-plan'],
  startMilestone: ['start-milestone'],
  changeMilestoneProgression: ['set-milestone-progression'],
  deleteMilestoneProgression: ['remove-milestone-progression'],
  updateMilestoneStrategy: ['update-plan-strategy'],
  changeSafeguard: ['set-safeguard'],
  deleteSafeguard: ['remove-safeguard'],
  archiveFeature: ['archive-features'],
  addDependency: ['add-dependency'],
  deleteDependency: ['remove-dependency', 'remove-dependencies'],
  updateSegment: ['update-segment'],
  deleteSegment: ['delete-segment'],
};

const CASES = CHANGE_ACTIONS.flatMap((action) => COMMANDS_OF[action].map((name) => [action, name] as const));

describe('a change of a change request', () => {
  const location = { project: 'default', environment: 'development', feature: 'live' };

  /** The command of a requested change. */
  function asked(action: ChangeAction, input: unknown): ReadyCommand {
    const ready = atOnce(commandFor(action, location, payloadOf({ action, input })));
    if (ready instanceof Rejection) throw new Error(ready.message);
    return ready;
  }

  const stored = (action: ChangeAction, { command: { name }, input }: ReadyCommand): RequestedChange =>
    JSON.parse(JSON.stringify({ action, command: name, input }));

  it.each(CASES)('%s is read from storage as the same %s, for any input', (action, name) => {
    const found = commandOf(name);
    fc.assert(
      fc.property(arbitraryOf(found.input), (input) => {
        const now = asked(action, input);
        const later = atOnce(commandOfStoredChange(stored(action, now)));
        if (later instanceof Rejection) throw new Error(later.message);
        expect([now.command.name, later.command.name]).toEqual([name, name]);
        const direct = outcomeOf(world, found, now.input, systemCaller());
        expect(outcomeOf(world, found, later.input, systemCaller())).toEqual(direct);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused when this version makes another command of it, or does not accept its input', () => {
    const change = stored('archiveFeature', asked('archiveFeature', {}));
    expect(atOnce(commandOfStoredChange({ ...change, command: 'delete-features' }))).toBeInstanceOf(Rejection);
    expect(atOnce(commandOfStoredChange({ ...change, input: { names: ['live'] } }))).toBeInstanceOf(Rejection);
  });
});
