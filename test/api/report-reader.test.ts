import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Report, reportOf } from '../../src/api/client/report.ts';
import { READ_BYTES_MAX, ReportReader } from '../../src/api/client/report-reader.ts';
import { ClientMetricsBody } from '../../src/api/client/report-schemas.ts';
import { Rejection } from '../../src/base/rejection.ts';
import { parseBody } from '../../src/http/parsed-body.ts';
import { accepted } from '../support/admin.ts';
import { Flags } from '../support/flags.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';

/** One for all, as in the service: whatever a body leaves behind in it, the next one meets. */
const reader = new ReportReader();

/** What a report says, in plain objects, in its order. */
function told({ appName, instanceId, connectionId, sdkVersion, counts, untilMs }: Report) {
  let variant = 0;
  const flags = [];
  for (let at = 0; at < counts.length; at++) {
    const variants = [];
    for (; variant < (counts.variantsEnd[at] ?? 0); variant++)
      variants.push([counts.variants[variant], counts.times[variant]]);
    flags.push([counts.names[at], counts.yes[at], counts.no[at], variants]);
  }
  const who = { appName, instanceId: instanceId ?? null, connectionId: connectionId ?? null };
  return { ...who, sdkVersion: sdkVersion ?? null, untilMs, flags };
}

/** As every other body is read. */
async function readPlainly(bytes: Uint8Array): Promise<Report | Rejection> {
  const parsed = await parseBody(ClientMetricsBody, {}, bytes);
  return parsed instanceof Rejection ? parsed : reportOf(parsed.value as never);
}

/** Whether the reader took it. What it takes has to be what every other way makes of it, and nothing that is refused. */
async function isTaken(body: string | Uint8Array): Promise<boolean> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (!reader.read(bytes)) return false;
  const read = told(reader);
  const plain = await readPlainly(bytes);
  expect(plain).not.toBeInstanceOf(Rejection);
  expect(read).toEqual(told(plain as Report));
  return true;
}

const NOW = '2026-11-22T12:00:00.000Z';
const BUCKET = { start: '2026-11-22T11:59:00.000Z', stop: NOW };
const PLATFORM = { platformName: 'node', platformVersion: '24.1.0', yggdrasilVersion: null, specVersion: '5.2.0' };
const TOGGLES = {
  checkout: { yes: 17, no: 4, variants: { red: 12, blue: 5 } },
  'a.b-c_~': { yes: 0, no: 123_456, variants: {} },
  disabled: { yes: 1, no: 0, variants: { checkout: 1, disabled: 2 } },
};
const REPORT = {
  appName: 'shop',
  instanceId: 'shop-1',
  connectionId: 'c0ffee00-0000-4000-8000-000000000001',
  sdkVersion: 'unleash-client-node:6.12.1',
  bucket: { ...BUCKET, toggles: TOGGLES },
  ...PLATFORM,
};

describe('what the reader knows', () => {
  it.each([
    ['a report of today’s SDKs', JSON.stringify(REPORT)],
    ['one with white space', JSON.stringify(REPORT, null, 2)],
    [
      'one as Python writes it',
      JSON.stringify(REPORT)
        .replace(/([:,])(?=["{\d])/g, '$1 ')
        .replaceAll(/(\d): (\d)/g, '$1:$2'),
    ],
    ['one without a bucket', JSON.stringify({ appName: 'shop' })],
    ['one whose bucket is null', JSON.stringify({ ...REPORT, bucket: null })],
    ['one without flags', JSON.stringify({ ...REPORT, bucket: { ...BUCKET, toggles: {} } })],
    [
      'times as numbers',
      JSON.stringify({ ...REPORT, bucket: { start: 1, stop: 1_795_348_800_000, toggles: TOGGLES } }),
    ],
    ['a time of Go’s', JSON.stringify(REPORT).replace(NOW, '2026-11-22T13:00:00.123456789+01:00')],
    [
      'flags that say little',
      '{"appName":"a","bucket":{"start":"2026","stop":"2026","toggles":{"a":{},"b":{"yes":null,"variants":null}}}}',
    ],
    [
      'an old SDK that tells no variants',
      '{"appName":"a","instanceId":"","bucket":{"toggles":{"a":{"no":1,"yes":2}},"stop":"2026","start":"2025"}}',
    ],
  ])('%s', async (_, body) => {
    expect(await isTaken(body)).toBe(true);
  });
});

describe('what it leaves to others', () => {
  it.each([
    ['a key __proto__', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"__proto__":{"yes":1}}}}'],
    [
      'a variant __proto__',
      '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"variants":{"__proto__":1}}}}}',
    ],
    ['a flag twice', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":1},"b":{},"a":{"yes":2}}}}'],
    ['a variant twice', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"variants":{"x":1,"x":2}}}}}'],
    ['yes twice', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":1,"yes":2}}}}'],
    ['a bucket twice', '{"appName":"a","bucket":null,"bucket":{"start":1,"stop":1,"toggles":{}}}'],
    ['a name in escapes', '{"appName":"\\u0061"}'],
    ['text beyond ASCII', '{"appName":"é"}'],
    ['names that are numbers', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"10":{},"9":{}}}}'],
    ['no name of an application', '{"instanceId":"a"}'],
    ['an empty one', '{"appName":""}'],
    ['members that it does not know', '{"appName":"a","impactMetrics":[]}'],
    ['half a number', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":1.5}}}}'],
    ['a time that is none', '{"appName":"a","bucket":{"start":"then","stop":1,"toggles":{}}}'],
    ['text behind the end', '{"appName":"a"}x'],
    ['nothing', ''],
    ['more than may be read at once', JSON.stringify({ appName: 'a', sdkType: 'x'.repeat(READ_BYTES_MAX) })],
  ])('%s', async (_, body) => {
    expect(await isTaken(body)).toBe(false);
  });
});

/** Texts that a name, a number or a mark may be replaced by. */
const ODD = [
  ...[
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"toString"',
    '"é"',
    '"\\n"',
    '"\u007f"',
    '"\ud83d\ude00"',
    '""',
  ],
  ...['"a"', '"b"', '"0"', '"01"', '"-1"', '"1e3"', '"yes"', '"no"', '"variants"', '"toggles"', `"${'n'.repeat(101)}"`],
  ...[
    '0',
    '-0',
    '00',
    '7',
    '1.0',
    '1e3',
    '1e400',
    '-1',
    '999999999999999',
    '9999999999999999',
    'null',
    'true',
    '[]',
    '{}',
  ],
  ...[
    ',',
    ':',
    '{',
    '}',
    '"',
    '\\',
    ' ',
    '\n',
    '\t',
    '\u0000',
    '\ufeff',
    '',
    '{"a":{}}',
    '"a":1',
    ',"yes":1',
    '[[[[1]]]]',
  ],
];

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'yes', 'no', 'variants', 'disabled', '10', '_x', '1a', '__proto_', 'valueOf', ''),
  fc.string({ maxLength: 12 }),
);
const count = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 2 ** 40, 1e13, 0.5, -1, null));
const variants = fc.dictionary(name, count, { maxKeys: 4 });
const flagReport = fc.record({ yes: count, no: count, variants }, { requiredKeys: [] });
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.integer(),
  fc.constantFrom('2026-02-31T00:00:00.000Z', '2026-01-28T24:00:00.000Z', '2026-13-01T00:00:00.000Z', '2026', 'x', ''),
  fc
    .tuple(fc.nat(14), fc.nat(35), fc.nat(26), fc.nat(61))
    .map(
      ([month, day, hour, second]) =>
        `2026-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:${String(second).padStart(2, '0')}.000Z`,
    ),
);
const text = fc.option(fc.string({ maxLength: 20 }));
const report = fc.record(
  {
    appName: fc.oneof(fc.constant('shop'), fc.string({ maxLength: 10 })),
    ...{ instanceId: text, connectionId: text, sdkVersion: text, specVersion: text, environment: text },
    bucket: fc.option(fc.record({ start: time, stop: time, toggles: fc.dictionary(name, flagReport, { maxKeys: 6 }) })),
    impactMetrics: fc.constantFrom(null, undefined),
  },
  { requiredKeys: ['appName', 'bucket'] },
);

/** Where a document may be cut without cutting a name: what stands between is replaced. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|null|[{}:,]/g;

/** The document, with some of its tokens replaced, left out or told twice. */
function mutated(document: string, changes: readonly (readonly [at: number, odd: number, kind: number])[]): string {
  const tokens = document.match(TOKEN) ?? [];
  for (const [at, odd, kind] of changes) {
    const index = at % Math.max(1, tokens.length);
    const other = ODD[odd % ODD.length] as string;
    if (kind === 0) tokens[index] = other;
    else if (kind === 1) tokens.splice(index, 0, other);
    else if (kind === 2) tokens.splice(index, 1);
    else if (kind === 3) tokens.splice(index, 0, ...tokens.slice(index, index + 4));
    else tokens[index] = tokens[(index + odd) % tokens.length] as string;
  }
  return tokens.join('');
}

describe('a body that the reader takes is told as every other way of reading it tells it', () => {
  it('when it is a report', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(report, fc.nat(2), async (each, space) => {
        if (await isTaken(JSON.stringify(each, null, space))) taken++;
      }),
      { numRuns: 3_000 },
    );
    // Were none taken, nothing would have been compared.
    expect(taken).toBeGreaterThan(100);
  });

  it('when somebody has made something else of one', async () => {
    const change = fc.tuple(fc.nat(300), fc.nat(100), fc.nat(4));
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        if (await isTaken(mutated(JSON.stringify(REPORT), changes))) taken++;
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  it('when bytes of one are others', async () => {
    const document = Buffer.from(JSON.stringify(REPORT));
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(document.length - 1), fc.nat(255), fc.boolean(), async (at, byte, isCut) => {
        const bytes = Buffer.from(isCut ? document.subarray(0, at) : document);
        if (!isCut) bytes[at] = byte;
        if (await isTaken(bytes)) taken++;
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  it('when there are more names than it remembers, and most of them are met the first time', async () => {
    for (let round = 0; round < 60; round++) {
      const toggles: Record<string, unknown> = {};
      for (let at = 0; at < 400; at++)
        toggles[`flag-${round * 300 + at}`] = {
          yes: at,
          no: round,
          variants: { [`variant-${round}-${at}`]: at, on: 1 },
        };
      await isTaken(JSON.stringify({ ...REPORT, bucket: { ...BUCKET, toggles } }));
    }
    expect(await isTaken(JSON.stringify(REPORT))).toBe(true);
  });
});

describe('over HTTP', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(() => service.close());

  it('counts the same of both, and tells the same of what it refuses', async () => {
    const flags = new Flags(service);
    const [one, other] = [await flags.create(), await flags.create()];
    const stop = new Date();
    const bucket = (flag: string) => ({
      start: stop,
      stop,
      toggles: { [flag]: { yes: 3, no: 2, variants: { disabled: 1 } } },
    });
    const send = (body: unknown) => accepted(service, 'registerClientMetrics', { token: CLIENT_TOKEN, body });
    for (let time = 0; time < 2; time++) {
      await send({ appName: 'shop', instanceId: 'one', bucket: bucket(one) });
      // What it does not know is read as all bodies are.
      await send({ appName: 'shop', instanceId: 'one', bucket: bucket(other), unheardOf: { of: [1] } });
    }
    const raw = async (flag: string) => {
      const { data } = (await accepted(service, 'getRawFeatureMetrics', { params: { name: flag } })).body;
      return data.map(({ featureName: _, ...each }: { featureName: string }) => each);
    };
    expect(await raw(one)).toEqual(await raw(other));
    expect(await raw(one)).toMatchObject([{ yes: 6, no: 4, variants: { disabled: 2 } }]);
  });

  it.each([
    ['"__proto__"', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"__proto__":{"yes":1}}}}', '__proto__'],
    ['a time that is none', '{"appName":"a","bucket":{"start":"then","stop":1,"toggles":{}}}', 'times'],
    [
      'less than nothing',
      '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":-1}}}}',
      '/bucket/toggles',
    ],
    ['half a document', '{"appName":"a","bucket":{"start":1,"stop":1,"tog', 'not valid JSON'],
  ])('refuses %s as everywhere', async (_, body, message) => {
    const answer = await fetch(`${service.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });
});
