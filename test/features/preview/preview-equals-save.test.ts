import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureEnvironment } from '../../../src/model/feature.ts';
import type { Segment } from '../../../src/model/segment.ts';
import type { Strategy } from '../../../src/model/strategy.ts';
import { flag, prepare } from '../../support/admin.ts';
import { type CallResult, CLIENT_TOKEN, useService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const AT = '2026-01-01T00:00:00.000Z';
const PLACE = { projectId: 'default', environment: 'development' };
const FLAGS = ['a', 'b', 'c', 'd', 'e'];
const SEGMENTS = [1, 2, 3];
const STRATEGY_IDS = ['s0', 's1', 's2'];
const COUNTRIES = ['NO', 'SE', 'DK'];

const CONTEXTS = Array.from({ length: 60 }, (_, index) => ({
  userId: `user-${index}`,
  properties: { country: COUNTRIES[index % 4] ?? 'FI', plan: index % 2 === 0 ? 'free' : 'paid' },
}));

const constraint = fc.oneof(
  fc
    .subarray(COUNTRIES, { minLength: 1 })
    .map((values) => ({ contextName: 'country', operator: 'IN' as const, values, inverted: false })),
  fc.constantFrom('free', 'paid').map((plan) => ({
    contextName: 'plan',
    operator: 'STR_STARTS_WITH' as const,
    values: [plan],
    inverted: true,
  })),
);

const variant = (name: string) =>
  fc.record({ weight: fc.constantFrom(200, 1000), payload: fc.constantFrom('x', 'y') }).map(({ weight, payload }) => ({
    name,
    weight,
    weightType: 'variable' as const,
    stickiness: 'default',
    payload: { type: 'string' as const, value: payload },
  }));

const variants = fc.oneof(
  fc.constant([]),
  fc.tuple(variant('blue'), variant('red')).map((pair) => pair as ReturnType<typeof Object.assign>[]),
);

const content = fc.record({
  name: fc.constantFrom('default', 'flexibleRollout', 'flexibleRollout'),
  disabled: fc.boolean(),
  parameters: fc
    .constantFrom('0', '30', '60', '100')
    .map((rollout) => ({ rollout, stickiness: 'userId', groupId: 'group' })),
  constraints: fc.array(constraint, { maxLength: 2 }),
  segments: fc.subarray(SEGMENTS, { maxLength: 2 }),
  variants,
});

const strategies = fc
  .array(content, { maxLength: 3 })
  .map((contents) =>
    contents.map((one, index) => ({ ...one, id: STRATEGY_IDS[index], title: null, sortOrder: index }) as Strategy),
  );

const config = fc
  .record({ enabled: fc.boolean(), strategies, variants })
  .map((fields) => ({ environment: 'development', ...fields }) as FeatureEnvironment);

const dependency = fc.record({
  feature: fc.constantFrom('a', 'b'),
  enabled: fc.boolean(),
  variants: fc.constantFrom([], ['blue']),
});

/** The flags `a` and `b` may be parents of the others. */
const world = fc.record({
  configs: fc.tuple(config, config, config, config, config),
  dependencies: fc.tuple(
    ...FLAGS.map((name) => (name < 'c' ? fc.constant([]) : fc.array(dependency, { maxLength: 1 }))),
  ),
  constraints: fc.tuple(...SEGMENTS.map(() => fc.array(constraint, { minLength: 1, maxLength: 2 }))),
});

const name = fc.constantFrom(...FLAGS);
const id = fc.constantFrom(...STRATEGY_IDS);

const changeOf = (action: string, feature: fc.Arbitrary<string>, payload: fc.Arbitrary<unknown>) =>
  fc.record({ action: fc.constant(action), feature, payload });

const change = fc.oneof(
  changeOf('updateEnabled', name, fc.record({ enabled: fc.boolean(), shouldActivateDisabledStrategies: fc.boolean() })),
  changeOf('addStrategy', name, content),
  changeOf(
    'updateStrategy',
    name,
    fc.tuple(id, content).map(([strategyId, fields]) => ({ ...fields, id: strategyId })),
  ),
  changeOf(
    'deleteStrategy',
    name,
    id.map((strategyId) => ({ id: strategyId })),
  ),
  changeOf(
    'reorderStrategy',
    name,
    fc.constantFrom(['s0', 's1'], ['s1', 's0']).map((ids) => ids.map((one, sortOrder) => ({ id: one, sortOrder }))),
  ),
  changeOf(
    'patchVariant',
    name,
    variants.map((list) => ({ variants: list })),
  ),
  changeOf('archiveFeature', name, fc.constant({})),
  changeOf('addDependency', name, dependency),
  changeOf('deleteDependency', name, fc.constantFrom({}, { feature: 'a' })),
  fc.record({
    action: fc.constant('updateSegment'),
    payload: fc
      .tuple(fc.constantFrom(...SEGMENTS, 9), fc.array(constraint, { minLength: 1, maxLength: 2 }))
      .map(([segment, constraints]) => ({ id: segment, name: `segment ${segment}`, constraints })),
  }),
  fc.record({
    action: fc.constant('deleteSegment'),
    payload: fc.constantFrom(...SEGMENTS).map((segment) => ({ id: segment })),
  }),
);

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;
// biome-ignore lint/suspicious/noExplicitAny: the payload depends on the action
type Change = { readonly action: string; readonly feature?: string; readonly payload: any };

const service = useService();

function build({ configs, dependencies, constraints }: World): Promise<void> {
  return prepare(service, (draft) => {
    for (const [index, featureName] of FLAGS.entries()) {
      const environments = [configs[index] as FeatureEnvironment];
      draft.put('features', flag(featureName, { environments, dependencies: dependencies[index] ?? [] }));
    }
    for (const [index, segment] of SEGMENTS.entries()) {
      const fields = { id: segment, name: `segment ${segment}`, description: null, project: null };
      const stored = { ...fields, constraints: constraints[index] ?? [], createdBy: 'test', createdAt: AT };
      draft.put('segments', stored as Segment);
    }
  });
}

/** Saves the change by the request that a client without change requests would send. */
function save({ action, feature: featureName = '', payload }: Change): Promise<CallResult> {
  const params = { ...PLACE, featureName, child: featureName, strategyId: payload.id, id: payload.id };
  const { id: _id, ...fields } = payload;
  switch (action) {
    case 'updateEnabled':
      return service.call(payload.enabled ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff', {
        params,
        query: `shouldActivateDisabledStrategies=${payload.shouldActivateDisabledStrategies}`,
      });
    case 'addStrategy':
      return service.call('addFeatureStrategy', { params, body: payload });
    case 'updateStrategy':
      return service.call('updateFeatureStrategy', { params, body: fields });
    case 'deleteStrategy':
      return service.call('deleteFeatureStrategy', { params });
    case 'reorderStrategy':
      return service.call('setStrategySortOrder', { params, body: payload });
    case 'patchVariant':
      return service.call('overwriteEnvironmentFeatureVariants', { params, body: payload.variants });
    case 'archiveFeature':
      return service.call('archiveFeature', { params });
    case 'addDependency':
      return service.call('addFeatureDependency', { params, body: payload });
    case 'deleteDependency':
      return payload.feature === undefined
        ? service.call('deleteFeatureDependencies', { params })
        : service.call('deleteFeatureDependency', { params: { ...params, parent: payload.feature } });
    case 'updateSegment':
      return service.call('updateSegment', { params, body: fields });
    default:
      return service.call('removeSegment', { params });
  }
}

/** For each context: the flags that are on, with their variants, as SDKs get them. */
async function results(): Promise<readonly ReadonlyMap<string, string>[]> {
  const response = await fetch(`${service.url}/api/client/evaluate`, {
    method: 'POST',
    headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ contexts: CONTEXTS }),
  });
  expect(response.status).toBe(200);
  const lines = (await response.text()).trim().split('\n');
  return lines.map((line) => {
    const { toggles } = JSON.parse(line) as { toggles: { name: string; variant: unknown }[] };
    return new Map(toggles.map((toggle) => [toggle.name, JSON.stringify(toggle.variant)]));
  });
}

function kindOf(before: string | undefined, after: string | undefined): string {
  if (before === undefined || after === undefined)
    return before === after ? 'unchanged' : after ? 'offToOn' : 'onToOff';
  return before === after ? 'unchanged' : 'otherVariant';
}

/** The message. If several flags use a segment, the message names one of them. */
const textOf = ({ message }: { readonly message: string }) => message.replace(/the feature \w+ uses/, 'a feature uses');

const preview = (changes: readonly Change[]) =>
  service.call('previewChanges', {
    body: { project: 'default', environment: 'development', changes, contexts: { given: CONTEXTS }, examples: 20 },
  });

const wholeRollout = {
  id: 's0',
  name: 'default',
  title: null,
  sortOrder: 0,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
} as Strategy;

const twoVariants = (payload: string) =>
  ['blue', 'red'].map((variantName) => ({
    name: variantName,
    weight: 500,
    weightType: 'variable' as const,
    stickiness: 'default',
    payload: { type: 'string' as const, value: payload },
  }));

/** Five equal flags, on for each context where `enabled` is true. */
function equalFlags(enabled: boolean): World {
  const fields = { environment: 'development', enabled, strategies: [wholeRollout], variants: twoVariants('x') };
  const one = fields as FeatureEnvironment;
  const norway = { contextName: 'country', operator: 'IN' as const, values: ['NO'], inverted: false };
  return {
    configs: [one, one, one, one, one],
    dependencies: FLAGS.map(() => []) as unknown as World['dependencies'],
    constraints: SEGMENTS.map(() => [norway]) as World['constraints'],
  };
}

const switchTo = (enabled: boolean): Change => ({
  action: 'updateEnabled',
  feature: 'a',
  payload: { enabled, shouldActivateDisabledStrategies: false },
});

/** One case of each outcome, so that a run that draws few of them checks each. */
const EXAMPLES: [World, Change[]][] = [
  [equalFlags(false), [switchTo(true)]],
  [equalFlags(true), [switchTo(false)]],
  [equalFlags(true), [{ action: 'patchVariant', feature: 'a', payload: { variants: twoVariants('y') } }]],
  [equalFlags(true), [{ action: 'deleteSegment', payload: { id: 1 } }, switchTo(false)]],
  [equalFlags(true), [{ action: 'updateStrategy', feature: 'a', payload: { ...wholeRollout, id: 'missing' } }]],
];

describe('a preview', () => {
  it('equals the results before and after the changes are saved, and refuses what the save refuses', async () => {
    const seen = { accepted: 0, refused: 0, offToOn: 0, onToOff: 0, otherVariant: 0 };
    await fc.assert(
      fc.asyncProperty(world, fc.array(change, { minLength: 1, maxLength: 4 }), async (start, changes) => {
        await build(start);
        const digest = stateDigest(service.running.services.state);
        const before = await results();
        const { status, body } = await preview(changes);
        expect(stateDigest(service.running.services.state)).toBe(digest);
        for (const [index, one] of changes.entries()) {
          const saved = await save(one);
          if (saved.status < 300) continue;
          seen.refused++;
          expect([status, body.name, textOf(body)]).toEqual([saved.status, saved.body.name, textOf(saved.body)]);
          expect(body.details[0].path).toMatch(new RegExp(`^/changes/${index}(/|$)`));
          return;
        }
        seen.accepted++;
        expect(status, JSON.stringify(body)).toBe(200);
        const after = await results();
        const shown = new Map(body.flags.map((found: { name: string }) => [found.name, found]));
        for (const featureName of FLAGS) {
          const kinds = CONTEXTS.map((_, at) => kindOf(before[at]?.get(featureName), after[at]?.get(featureName)));
          // biome-ignore lint/suspicious/noExplicitAny: one flag of the answer
          const found = shown.get(featureName) as any;
          if (!found) {
            expect(new Set(kinds)).toEqual(new Set(['unchanged']));
            continue;
          }
          const counts: Record<string, number> = { offToOn: 0, onToOff: 0, otherVariant: 0, unchanged: 0 };
          for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
          expect(found.counts).toEqual(counts);
          for (const kind of ['offToOn', 'onToOff', 'otherVariant'] as const) seen[kind] += counts[kind] ?? 0;
          for (const example of found.examples) {
            const at = CONTEXTS.findIndex(({ userId }) => userId === example.context.userId);
            expect(kinds[at]).toBe(example.kind);
            expect(example.before?.isEnabled ?? false).toBe(before[at]?.has(featureName));
            expect(example.after?.isEnabled ?? false).toBe(after[at]?.has(featureName));
            if (example.after?.isEnabled) {
              expect(JSON.stringify(example.after.variant)).toBe(after[at]?.get(featureName));
            }
          }
        }
      }),
      // The type of the examples is that of the arbitraries, which `changeOf` widens.
      { numRuns: atDepth({ quick: 20, full: 800 }), examples: EXAMPLES as never },
    );
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(0);
  });
});
