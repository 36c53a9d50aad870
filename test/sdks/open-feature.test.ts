import { once } from 'node:events';
import {
  ErrorCode,
  type EvaluationContext,
  type JsonValue,
  OpenFeature,
  type Provider,
  type ResolutionDetails,
  StandardResolutionReasons,
  TypeMismatchError,
} from '@openfeature/server-sdk';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../support/flags.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, useService } from '../support/service.ts';

/** An OpenFeature provider on an unmodified unleash-client, as teams use OpenFeature with Burgee. */
class UnleashProvider implements Provider {
  readonly metadata = { name: 'unleash-client' };
  readonly #client: Unleash;

  constructor(client: Unleash) {
    this.#client = client;
  }

  async resolveBooleanEvaluation(flag: string, fallback: boolean, context: EvaluationContext) {
    if (!this.#client.getFeatureToggleDefinition(flag)) return missing(fallback);
    const value = this.#client.isEnabled(flag, unleashContext(context));
    return { value, reason: StandardResolutionReasons.TARGETING_MATCH };
  }

  async resolveStringEvaluation(flag: string, fallback: string, context: EvaluationContext) {
    return this.#payload(flag, fallback, context, 'string', (text) => text);
  }

  async resolveNumberEvaluation(flag: string, fallback: number, context: EvaluationContext) {
    return this.#payload(flag, fallback, context, 'number', Number);
  }

  async resolveObjectEvaluation<T extends JsonValue>(flag: string, fallback: T, context: EvaluationContext) {
    return this.#payload(flag, fallback, context, 'json', (text) => JSON.parse(text) as T);
  }

  #payload<T>(
    flag: string,
    fallback: T,
    context: EvaluationContext,
    type: string,
    read: (text: string) => T,
  ): ResolutionDetails<T> {
    if (!this.#client.getFeatureToggleDefinition(flag)) return missing(fallback);
    const { name, enabled, payload } = this.#client.getVariant(flag, unleashContext(context));
    if (!enabled || !payload) return { value: fallback, reason: StandardResolutionReasons.DEFAULT };
    if (payload.type !== type) throw new TypeMismatchError(`the payload is ${payload.type}`);
    return { value: read(payload.value), variant: name, reason: StandardResolutionReasons.TARGETING_MATCH };
  }
}

function missing<T>(fallback: T): ResolutionDetails<T> {
  return { value: fallback, errorCode: ErrorCode.FLAG_NOT_FOUND, reason: StandardResolutionReasons.ERROR };
}

function unleashContext({ targetingKey, ...rest }: EvaluationContext) {
  const properties = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return { ...(targetingKey !== undefined && { userId: targetingKey }), properties };
}

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;
let unleash: Unleash;

beforeAll(async () => {
  flags = new Flags(service);
});

afterAll(async () => {
  await OpenFeature.close();
  endSdk(unleash);
});

/** A flag that is on for one user with one plan; its variant has the payload. */
async function flagFor(userId: string, payload?: { readonly type: string; readonly value: string }): Promise<string> {
  const featureName = await flags.create();
  const target = { featureName, ...DEVELOPMENT };
  const constraints = [
    { contextName: 'userId', operator: 'IN', values: [userId] },
    { contextName: 'plan', operator: 'IN', values: ['gold'] },
  ];
  const variants = payload
    ? [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default', payload }]
    : [];
  await flags.call('addFeatureStrategy', target, { name: 'default', parameters: {}, constraints, variants });
  await flags.call('toggleFeatureEnvironmentOn', target);
  return featureName;
}

/** The OpenFeature client, with the current flags of the service. */
async function startClient() {
  unleash?.destroy();
  unleash = new Unleash({
    skipInstanceCountWarning: true,
    url: `${service.url}/api`,
    appName: 'open-feature-test',
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 3_600_000,
    disableMetrics: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  await once(unleash, UnleashEvents.Synchronized);
  await OpenFeature.setProviderAndWait(new UnleashProvider(unleash));
  return OpenFeature.getClient();
}

const GOLD = { targetingKey: 'u', plan: 'gold' };
const SILVER = { targetingKey: 'u', plan: 'silver' };

describe('OpenFeature, over unleash-client', () => {
  it('resolves boolean flags by targeting key and attributes', async () => {
    const name = await flagFor('u');
    const client = await startClient();
    expect(await client.getBooleanValue(name, false, GOLD)).toBe(true);
    expect(await client.getBooleanValue(name, true, SILVER)).toBe(false);
    expect(await client.getBooleanValue(name, true, { ...GOLD, targetingKey: 'somebody else' })).toBe(false);
  });

  it('resolves the payload of the variant as text, number and object', async () => {
    const text = await flagFor('u', { type: 'string', value: 'green' });
    const number = await flagFor('u', { type: 'number', value: '42.5' });
    const object = await flagFor('u', { type: 'json', value: '{"colour":"green","sizes":[1,2]}' });
    const client = await startClient();
    expect(await client.getStringDetails(text, 'none', GOLD)).toMatchObject({ value: 'green', variant: 'only' });
    expect(await client.getNumberDetails(number, 0, GOLD)).toMatchObject({ value: 42.5, variant: 'only' });
    expect(await client.getObjectValue(object, {}, GOLD)).toEqual({ colour: 'green', sizes: [1, 2] });
    expect(await client.getStringDetails(text, 'none', SILVER)).toMatchObject({ value: 'none', reason: 'DEFAULT' });
    expect(await client.getNumberDetails(text, 7, GOLD)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' });
  });

  it('falls back for a flag that is not served any more', async () => {
    const featureName = await flagFor('u');
    expect(await (await startClient()).getBooleanValue(featureName, false, GOLD)).toBe(true);
    await flags.call('archiveFeature', { featureName });
    const details = await (await startClient()).getBooleanDetails(featureName, false, GOLD);
    expect(details).toMatchObject({ value: false, errorCode: 'FLAG_NOT_FOUND' });
  });
});
