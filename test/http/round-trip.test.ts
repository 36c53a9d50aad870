import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { tell } from '../products/maintenance/store-command.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { type CallOptions, startTestService, type TestService } from '../support/service.ts';

let root: string;
let redis: RedisServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'burgee-round-trip-'));
  redis = await RedisServer.start();
});

afterAll(async () => {
  await redis.dispose();
  rmSync(root, { recursive: true, force: true });
});

const lmdb = (name: string) => new LmdbStore({ directory: join(root, name), logger: silentLogger });
const inRedis = () =>
  new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 50 } });

/** A part of a JSON string as it is written: characters of every range, and escapes. */
const piece = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
  fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0x100, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0xe000, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  fc.constantFrom('\\u0000', '\\u001f', '\u2028', '\u2029', '\ufeff', '\\ud83d\\ude00', 'é', 'ÿ', '\\n', '\\"', '\\\\'),
);
const text = fc.array(piece, { minLength: 1, maxLength: 20 }).map((pieces) => `x${pieces.join('')}`);
/** Texts that contain a lone surrogate. */
const broken = fc
  .tuple(text, fc.constantFrom('\\ud800', '\\udbff', '\\udc00', '\\uDFFF', '\\ude00\\ud83d'), text)
  .map((parts) => parts.join(''));
const number = fc.oneof(
  fc.constantFrom(
    '-0',
    '0',
    '1e3',
    '100',
    '2147483647',
    '4294967296',
    '9007199254740993',
    '1e21',
    '0.1',
    '1e-400',
    '5e-324',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const flagParams = { projectId: 'default', featureName: 'flag', environment: 'development' };

/** A body for every resource that stores text or numbers of its caller. */
function bodies(id: number, written: string, digits: string): [operation: string, options: CallOptions][] {
  const name = `n${id}`;
  const of = (operation: string, body: string, params = {}): [string, CallOptions] => [operation, { params, body }];
  return [
    of('createFeature', `{"name":"${name}","description":"${written}","tags":[]}`, flagParams),
    of('createProject', `{"id":"${name}","name":"${written}","description":"${written}"}`),
    of(
      'createSegment',
      `{"name":"${written}","description":"${written}","constraints":[{"contextName":"${written}","operator":"IN","values":["${written}"]}]}`,
    ),
    of(
      'createContextField',
      `{"name":"${name}","description":"${written}","sortOrder":${digits},"legalValues":[{"value":"${written}","description":"${written}"}]}`,
    ),
    of('createTagType', `{"name":"${name}","description":"${written}","icon":"${written}"}`),
    of(
      'createStrategy',
      `{"name":"${name}","title":"${written}","description":"${written}","parameters":[{"name":"${written}","type":"string","description":"${written}","required":false}]}`,
    ),
    of('createApiToken', `{"type":"client","tokenName":"${written}","environment":"development","projects":["*"]}`),
    of('addTag', `{"type":"simple","value":"${written}"}`, { featureName: 'flag' }),
    of(
      'addFeatureStrategy',
      `{"name":"flexibleRollout","title":"${written}","sortOrder":${digits},"parameters":{"rollout":"100","${written}":"${written}"},` +
        `"constraints":[{"contextName":"${written}","operator":"STR_CONTAINS","values":["${written}"]}],` +
        `"variants":[{"name":"${written}","weight":1000,"weightType":"variable","stickiness":"default","payload":{"type":"string","value":"${written}"}}]}`,
      flagParams,
    ),
    of('createEnvironment', `{"name":"${name}","type":"production","sortOrder":${digits}}`),
  ];
}

/** Operations that read all of it back. */
const VIEWS: readonly (readonly [string, CallOptions])[] = [
  ['getFeatures', { params: flagParams }],
  ['getFeature', { params: flagParams }],
  ['getFeatureStrategies', { params: flagParams }],
  ['getProjects', {}],
  ['getSegments', {}],
  ['getContextFields', {}],
  ['getTagTypes', {}],
  ['getAllStrategies', {}],
  ['getAllApiTokens', {}],
  ['getAllEnvironments', {}],
  ['listTags', { params: flagParams }],
  ['getEvents', { query: 'limit=100' }],
  ['getAllClientFeatures', {}],
  ['getAllClientFeatures', { headers: { 'unleash-client-spec': '5.2.0' } }],
];

async function sight(service: TestService) {
  const seen = [];
  for (const [operation, options] of VIEWS) {
    const { status, text: sent, headers } = await service.call(operation, options);
    expect(status, operation).toBe(200);
    seen.push([operation, headers.get('etag'), sent.replace(/"seenAt":("[^"]*"|null)/g, '')]);
  }
  return seen;
}

async function serving<T>(store: Store, use: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startTestService({ store });
  try {
    while ((await fetch(`${service.url}/ready`)).status !== 200) await sleep(5);
    return await use(service);
  } finally {
    await service.close();
  }
}

describe('accepted input', () => {
  it('is returned byte for byte, ETags included, after a restart, from a backup, and from a replica on Redis', async () => {
    const samples = fc.sample(fc.tuple(text, number), { numRuns: 25, seed: 7 });
    let accepted = 0;
    const before = await serving(lmdb('first'), async (service) => {
      expect((await service.call('createFeature', { params: flagParams, body: { name: 'flag' } })).status).toBe(201);
      await service.call('toggleFeatureEnvironmentOn', { params: flagParams });
      for (const [index, [written, digits]] of samples.entries()) {
        for (const [operation, options] of bodies(index, written, digits)) {
          const { status } = await service.call(operation, options);
          expect([200, 201, 400, 409], operation).toContain(status);
          if (status < 300) accepted++;
        }
      }
      return sight(service);
    });
    expect(accepted).toBeGreaterThan(samples.length * 5);
    expect(await serving(lmdb('first'), sight)).toEqual(before);
    const file = join(root, 'backup');
    await tell('backup', '--from', `lmdb:${join(root, 'first')}`, '--to', file);
    await tell('restore', '--from', file, '--to', `lmdb:${join(root, 'second')}`);
    expect(await serving(lmdb('second'), sight)).toEqual(before);
    await tell('copy', '--from', `lmdb:${join(root, 'first')}`, '--to', redis.url);
    // The ETags of a history on Redis contain its mark, so only the texts are compared.
    const replica = await serving(inRedis(), sight);
    expect(replica.map(([operation, , sent]) => [operation, sent])).toEqual(
      before.map(([operation, , sent]) => [operation, sent]),
    );
    expect(await serving(inRedis(), sight)).toEqual(replica);
  }, 120_000);

  it('contains no lone surrogate and no number out of range: both get 400 in every field', async () => {
    const samples = fc.sample(broken, { numRuns: 5, seed: 7 });
    await serving(lmdb('refusing'), async (service) => {
      await service.call('createFeature', { params: flagParams, body: { name: 'flag' } });
      const before = await sight(service);
      for (const [index, written] of samples.entries()) {
        for (const [operation, options] of bodies(index, written, '1')) {
          if (!String(options.body).includes(written)) continue;
          const { status, body } = await service.call(operation, options);
          expect([operation, status, body.name]).toEqual([operation, 400, 'ValidationError']);
          expect(body.message).toMatch(/half of a character/);
        }
      }
      const keys = `{"name":"default","parameters":{"${samples[0]}":"1"}}`;
      expect((await service.call('addFeatureStrategy', { params: flagParams, body: keys })).status).toBe(400);
      for (const digits of ['1e400', '-1e999', '1E+309', '9'.repeat(400), `-${'9'.repeat(310)}.5`, '0.1e310']) {
        const body = `{"name":"x","sortOrder":1,"unknown":[${digits}]}`;
        const answer = await service.call('createContextField', { body });
        expect([digits, answer.status, answer.body.name]).toEqual([digits, 400, 'ValidationError']);
      }
      expect(await sight(service)).toEqual(before);
    });
  });

  it('contains neither of them in bodies that are parsed in fragments', async () => {
    await serving(lmdb('importing'), async (service) => {
      const filler = `"${'a'.repeat(900)}"`;
      for (const wrong of ['"\\ud800"', '{"\\udc00":1}', '1e400']) {
        const rest = Array(200).fill(filler).join(',');
        const body = `{"environment":"development","project":"default","data":{"features":[],"more":[${rest},${wrong}]}}`;
        const answer = await service.call('importFeatures', { body });
        expect([wrong, answer.status, answer.body.name]).toEqual([wrong, 400, 'ValidationError']);
        expect(answer.body.message).toMatch(/half of a character|larger than any/);
      }
    });
  });

  it('is text in queries, too: percent-encoded bytes that are not UTF-8 get 400', async () => {
    await serving(lmdb('asking'), async (service) => {
      for (const query of ['namePrefix=%ff', 'project=a%c3', 'tag[]=simple:%ed%a0%80']) {
        expect((await service.call('getAllClientFeatures', { query })).status, query).toBe(400);
      }
      expect((await service.call('getFrontendFeatures', { query: 'userId=%e9' })).status).toBe(400);
      expect((await service.call('getEvents', { query: 'limit=1&offset=%ff' })).status).toBe(400);
      expect((await service.call('getFrontendFeatures', { query: 'userId=100%&sessionId=%C3%A9' })).status).toBe(200);
    });
  });
});
