import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Constraint } from '../../src/model/constraint.ts';
import type { VariantPayload } from '../../src/model/variant.ts';
import { Random } from '../evaluation/random.ts';
import { fixture } from '../support/fixtures.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, startTestService, type TestService, useService } from '../support/service.ts';

/** The flags that were on for a context in the public SDK, with the Unleash 8.2 that this export is from. */
interface ExpectedCase {
  readonly context: Readonly<Record<string, unknown>> & { readonly properties?: Readonly<Record<string, string>> };
  readonly on: Readonly<Record<string, { readonly variant?: string; readonly payload?: VariantPayload }>>;
}

interface ExportedSegment {
  readonly name: string;
  readonly description: string | null;
  readonly constraints: readonly Constraint[];
}

interface Export {
  readonly features: readonly { readonly name: string }[];
  readonly featureStrategies: readonly {
    readonly id: string;
    readonly featureName: string;
    readonly segments: readonly number[];
  }[];
  readonly featureEnvironments: readonly object[];
  readonly contextFields: readonly object[];
  readonly featureTags: readonly object[];
  readonly dependencies: readonly object[];
  readonly tagTypes: readonly object[];
  readonly segments: readonly { readonly id: number; readonly name: string }[];
}

interface Answered {
  readonly name: string;
  readonly variant: { readonly name: string; readonly enabled: boolean; readonly payload?: VariantPayload };
}

const exported = fixture<Export>('export');
const { cases } = fixture<{ readonly cases: readonly ExpectedCase[] }>('expected');

const service = useService();

beforeAll(async () => {
  await createSegments(service);
});

afterAll(async () => {
  if (sdk) endSdk(sdk);
});

let sdk: Unleash | undefined;

/** An unmodified client, with the list of the service. */
async function sdkOf({ url }: TestService): Promise<Unleash> {
  if (sdk) return sdk;
  sdk = new Unleash({
    skipInstanceCountWarning: true,
    url: `${url}/api`,
    appName: 'fixture-test',
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 3_600_000,
    disableMetrics: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  await once(sdk, UnleashEvents.Synchronized);
  return sdk;
}

function seenBySdk(client: Unleash, context: ExpectedCase['context']): ExpectedCase['on'] {
  const names = client.getFeatureToggleDefinitions().map(({ name }) => name);
  expect(names).toHaveLength(120);
  const { currentTime, ...rest } = context;
  const asked = { ...rest, ...(typeof currentTime === 'string' && { currentTime: new Date(currentTime) }) };
  const toggles = names
    .filter((name) => client.isEnabled(name, asked))
    .map((name) => ({ name, variant: client.getVariant(name, asked) as Answered['variant'] }));
  return seen(toggles);
}

/** The flags with payloads as values of their types. */
function typed(on: ExpectedCase['on']): object {
  const typedPayload = ({ type, value }: VariantPayload) =>
    type === 'json' || type === 'number' ? JSON.parse(value) : value;
  return Object.fromEntries(
    Object.entries(on).map(([name, { variant, payload }]) => [
      name,
      {
        variant: variant ?? 'on',
        ...(payload && { type: payload.type, value: typedPayload(payload) }),
      },
    ]),
  );
}

/** The flags in the answer of the OpenFeature protocol, which contains every flag. */
async function seenByOpenFeature(context: ExpectedCase['context']): Promise<object> {
  const { flags } = (await service.call('ofrepEvaluateFlags', { body: { context } })).body;
  expect(flags).toHaveLength(120);
  return Object.fromEntries(
    flags
      .filter(({ metadata }: OpenFeatureAnswer) => metadata.featureEnabled)
      .map(({ key, value, variant, metadata: { payloadType: type } }: OpenFeatureAnswer) => [
        key,
        { variant, ...(type !== undefined && { type, value }) },
      ]),
  );
}

interface OpenFeatureAnswer {
  readonly key: string;
  readonly value: unknown;
  readonly variant: string;
  readonly metadata: { readonly featureEnabled: boolean; readonly payloadType?: VariantPayload['type'] };
}

describe('an export of Unleash 8.2', () => {
  it('passes the validation without an error', async () => {
    const answer = await service.call('validateImport', { body: { environment: 'development', data: exported } });
    expect(answer.body).toEqual({ errors: [], warnings: [], permissions: [] });
  });

  it('is imported over HTTP, with all 120 flags', async () => {
    const body = { project: 'default', environment: 'development', data: exported };
    expect((await service.call('importFeatures', { body })).status).toBe(200);
    const list = await service.call('getAllClientFeatures');
    expect(list.body.features).toHaveLength(120);
  });

  it.each(cases.map((entry, index) => [index, entry] as const))(
    'returns the same flags, variants and payloads for context %i as Unleash, on every path',
    async (_, { context, on }) => {
      const posted = await service.call('postFrontendFeatures', { body: { context } });
      expect(seen(posted.body.toggles)).toEqual(on);
      const got = await service.call('getFrontendFeatures', { query: queryOf(context) });
      expect(seen(got.body.toggles)).toEqual(on);
      const body = { environment: 'development', projects: '*', context };
      const { features } = (await service.call('getPlayground', { body })).body;
      expect(features).toHaveLength(120);
      expect(await seenByOpenFeature(context)).toEqual(typed(on));
      expect(seenBySdk(await sdkOf(service), context)).toEqual(on);
      expect(seen(features.filter(({ isEnabled }: { isEnabled: boolean }) => isEnabled))).toEqual(on);
    },
  );

  it('has the same result for any order of its strategies, because their ids define the order', async () => {
    const shuffled = await startTestService();
    try {
      await createSegments(shuffled);
      const random = new Random(7);
      const drawn = exported.featureStrategies.map((strategy) => ({ strategy, at: random.next() }));
      const featureStrategies = drawn.sort((left, right) => left.at - right.at).map(({ strategy }) => strategy);
      const body = { project: 'default', environment: 'development', data: { ...exported, featureStrategies } };
      expect((await shuffled.call('importFeatures', { body })).status).toBe(200);
      for (const { context, on } of cases) {
        const answer = await shuffled.call('postFrontendFeatures', { body: { context } });
        expect(seen(answer.body.toggles)).toEqual(on);
      }
      const answer = await shuffled.call('exportFeatures', { body: { environment: 'development', features: [] } });
      expect(withoutIds(answer.body)).toEqual(withoutIds(inTime(exported)));
    } finally {
      await shuffled.close();
    }
  });

  it('is exported again without a change, except for ids, and with strategies in the order of their ids', async () => {
    const answer = await service.call('exportFeatures', { body: { environment: 'development', features: [] } });
    expect(withoutIds(answer.body)).toEqual(withoutIds(inTime(exported)));
  });
});

async function createSegments(target: TestService): Promise<void> {
  for (const { name, description, constraints } of fixture<ExportedSegment[]>('segments')) {
    const answer = await target.call('createSegment', { body: { name, description, constraints } });
    expect(answer.status).toBe(201);
  }
}

/** The export with strategies in the order of their ids, which begin with the time: some of this export are in reverse order. */
function inTime(document: Export): Export {
  const featureStrategies = [...document.featureStrategies].sort((left, right) => (left.id < right.id ? -1 : 1));
  return { ...document, featureStrategies };
}

/** The export with segments by name, and each list sorted: Unleash lists in the order of its database. */
function withoutIds(document: Export): unknown {
  const names = new Map(document.segments.map(({ id, name }) => [id, name]));
  const strategies = document.featureStrategies.map(({ id: _id, segments, ...strategy }) => ({
    ...strategy,
    segments: segments.map((id) => names.get(id)),
  }));
  const inOrder = (list: readonly object[]) => list.map((item) => JSON.stringify(sortedKeys(item))).sort();
  return {
    ...document,
    // The order of strategies of a flag is compared, the order of flags is not.
    featureStrategies: document.features.map(({ name }) =>
      strategies.filter(({ featureName }) => featureName === name),
    ),
    featureEnvironments: inOrder(document.featureEnvironments),
    contextFields: inOrder(document.contextFields),
    featureTags: inOrder(document.featureTags),
    dependencies: inOrder(document.dependencies),
    tagTypes: inOrder(document.tagTypes),
    segments: [...names.values()].sort(),
  };
}

function sortedKeys(item: object): object {
  return Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function seen(flags: readonly Answered[]): ExpectedCase['on'] {
  return Object.fromEntries(
    flags.map(({ name, variant }) => {
      if (!variant.enabled) return [name, {}];
      const { name: variantName, payload } = variant;
      return [name, payload === undefined ? { variant: variantName } : { variant: variantName, payload }];
    }),
  );
}

function queryOf({ properties = {}, ...fields }: ExpectedCase['context']): string {
  const query = new URLSearchParams(fields as Record<string, string>);
  for (const [name, value] of Object.entries(properties)) query.append(`properties[${name}]`, value);
  return query.toString();
}
