import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { credentialOf } from '../../../src/http/access.ts';
import { accepted } from '../../support/admin.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, useService } from '../../support/service.ts';
import { atDepth, isDeep } from '../../support/tiers/depth.ts';

/** Each text has characters of one range only, because engines store a text differently by its widest character. */
const RANGES: readonly (readonly [name: string, from: number, to: number])[] = [
  ['ASCII', 0x20, 0x7e],
  ['Latin-1', 0xa0, 0xff],
  ['two bytes', 0x100, 0x7ff],
  ['three bytes', 0x800, 0xd7ff],
  ['private use', 0xe000, 0xf8ff],
  ['separators', 0x2000, 0x206f],
  ['the end of the plane', 0xfff0, 0xfffd],
  ['four bytes', 0x10000, 0x10ffff],
];

const textOf = (from: number, to: number) =>
  fc
    .array(fc.integer({ min: from, max: to }), { minLength: 3, maxLength: 20 })
    .map((codes) => String.fromCodePoint(...codes));

const TOKENS = { none: null, admin: ADMIN_TOKEN, client: CLIENT_TOKEN, frontend: FRONTEND_TOKEN, scim: SCIM_TOKEN };

const service = useService();
let names = 0;

/** Creates a flag that is on, and other items, with the text in every field that accepts it. */
async function fill(text: string): Promise<string> {
  const name = `flag-${++names}`;
  const params = { projectId: 'default', featureName: name, environment: 'development' };
  await accepted(service, 'createFeature', { params, body: { name, description: text } });
  const segment = await accepted(service, 'createSegment', {
    body: {
      name: `${names} ${text}`,
      description: text,
      constraints: [{ contextName: text, operator: 'IN', values: [text] }],
    },
  });
  const body = {
    name: 'flexibleRollout',
    title: text,
    parameters: { rollout: '100', stickiness: 'random', [text]: text },
    variants: [
      {
        name: `v ${text}`,
        weight: 1000,
        weightType: 'variable',
        stickiness: 'random',
        payload: { type: 'string', value: text },
      },
    ],
  };
  await accepted(service, 'addFeatureStrategy', { params, body });
  await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', segments: [segment.body.id] } });
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  await accepted(service, 'createTagType', { body: { name: `t${names}`, description: text, icon: text } });
  await accepted(service, 'createContextField', {
    body: { name: `c${names}`, description: text, legalValues: [{ value: text, description: text }] },
  });
  return name;
}

interface Sent {
  readonly status: number;
  readonly bytes: Buffer;
  readonly type: string;
}

async function send(
  operationId: string,
  params: Record<string, string>,
  options: { body?: unknown; query?: string } = {},
) {
  const route = endpoints.find((endpoint) => endpoint.operationId === operationId);
  if (!route) throw new Error(operationId);
  const path = route.path.replace(/:([A-Za-z]+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const token = TOKENS[credentialOf(route.access)];
  const answer = await fetch(`${service.url}${path}${options.query ? `?${options.query}` : ''}`, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: token }) },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const bytes = await bytesOf(answer);
  return { status: answer.status, bytes, type: answer.headers.get('content-type') ?? '' } satisfies Sent;
}

/** The whole body of an answer, or the first event of a stream, which has no end. */
async function bytesOf(answer: Response): Promise<Buffer> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream'))
    return Buffer.from(await answer.arrayBuffer());
  let bytes = Buffer.alloc(0);
  for await (const piece of answer.body ?? []) {
    bytes = Buffer.concat([bytes, piece]);
    if (bytes.includes('\ndata: ') && bytes.subarray(-2).equals(Buffer.from('\n\n'))) break;
  }
  return bytes;
}

/** Expects that the bytes are UTF-8, and exactly the JSON text of the value that they contain. */
function expectBytes({ bytes, type }: Sent, where: string): void {
  // A backup is not text. It has its own tests.
  if (type === 'application/octet-stream') return;
  expect(isUtf8(bytes), where).toBe(true);
  if (bytes.length === 0 || !type.includes('json')) return;
  const lines = type.includes('ndjson') ? bytes.toString().trimEnd().split('\n') : [bytes.toString()];
  for (const line of lines) expect(JSON.stringify(JSON.parse(line)), where).toBe(line);
}

const written = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1));

const samplesOf = (from: number, to: number) =>
  fc.sample(textOf(from, to), { numRuns: atDepth({ quick: 1, full: 3 }), seed: from });

describe.each(RANGES)('text of %s', (_name, from, to) => {
  it('is returned unchanged, byte for byte, by every route that returns it', async () => {
    for (const text of samplesOf(from, to)) {
      const featureName = await fill(text);
      const params = {
        projectId: 'default',
        featureName,
        environment: 'development',
        name: `t${names}`,
        contextField: `c${names}`,
      };
      const context = { environment: 'development', projects: '*', context: { appName: text, userId: text } };
      const advanced = { environments: ['development'], projects: '*', context: { appName: text, userId: text } };
      const calls: [string, { body?: unknown; query?: string }?][] = [
        ['getAllClientFeatures'],
        ['getClientFeature'],
        ['getFrontendFeatures', { query: `userId=${encodeURIComponent(text)}` }],
        ['postFrontendFeatures', { body: { userId: text } }],
        ['evaluateContexts', { body: { contexts: [{ userId: text }] } }],
        ['getPlayground', { body: context }],
        ['getAdvancedPlayground', { body: advanced }],
        ['exportFeatures', { body: { environment: 'development', features: [featureName] } }],
        ['getFeatures'],
        ['getFeature'],
        ['getFeatureEnvironment'],
        ['getFeatureStrategies'],
        ['getSegments'],
        ['getTagTypes'],
        ['getTagType'],
        ['getContextFields'],
        ['getContextField'],
        ['getEvents'],
      ];
      for (const [operationId, options] of calls) {
        const sent = await send(operationId, params, options);
        const where = `${operationId}: ${sent.status} ${sent.bytes.toString().slice(0, 200)}`;
        expect(sent.status, where).toBe(200);
        expectBytes(sent, where);
        expect(sent.bytes.includes(written(text)), where).toBe(true);
      }
    }
  });
});

/** Errors of all routes are many: `npm test` has one range for each way in which engines store a text. */
const IN_ERRORS = RANGES.filter(([name]) => isDeep || ['Latin-1', 'four bytes'].includes(name));

describe.each(IN_ERRORS)('text of %s', (_name, from, to) => {
  it('is returned unchanged in the errors of every route, too', async () => {
    for (const text of samplesOf(from, to)) {
      let quoted = 0;
      for (const { operationId, path, body } of endpoints) {
        const params = Object.fromEntries([...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => [name, text]));
        const sent = await send(operationId, params, body ? { body: { [text]: text, name: text, value: text } } : {});
        expectBytes(sent, `${operationId}: ${sent.status} ${sent.bytes.toString('latin1').slice(0, 200)}`);
        if (sent.status >= 400 && sent.bytes.includes(written(text))) quoted++;
      }
      expect(quoted).toBeGreaterThan(20);
    }
  });
});
