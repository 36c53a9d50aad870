import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import { BulkReader } from '../../src/features/bulk/reader.ts';
import type { FlagCounts } from '../../src/features/usage/flag-counts.ts';
import { ReportReader } from '../../src/features/usage/reports/reader.ts';
import { type BulkReport, bulkOf, type Report, reportOf } from '../../src/features/usage/reports/report.ts';
import { BulkMetricsBody, ClientMetricsBody } from '../../src/features/usage/reports/schemas.ts';
import { READ_BYTES_MAX, ReportText } from '../../src/features/usage/reports/text.ts';
import { parseBody } from '../../src/http/parsed-body.ts';
import { accepted } from '../support/admin.ts';
import { Flags } from '../support/flags.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';

/** One for all, as in the service: whatever a body leaves behind in it, the next one meets. */
const reports = new ReportText();
const reader = new ReportReader(reports);
const bulkReader = new BulkReader(reports);

/** What was counted of flags, in plain objects, in its order. */
function flagsOf(counts: FlagCounts) {
  return Array.from({ length: counts.length }, (_, at) => {
    const variants = [];
    for (let variant = counts.variantsBegin(at); variant < (counts.variantsEnd[at] ?? 0); variant++)
      variants.push([counts.variants[variant], counts.times[variant]]);
    return [counts.names[at], counts.yes[at], counts.no[at], variants];
  });
}

function told({ appName, instanceId, connectionId, sdkVersion, counts, untilMs, impactMetrics }: Report) {
  const who = { appName, instanceId: instanceId ?? null, connectionId: connectionId ?? null };
  const sdk = sdkVersion ?? null;
  return { ...who, sdk, untilMs, flags: flagsOf(counts), impactMetrics: impactMetrics ?? null };
}

function toldInBulk({ applications, uses, impactMetrics }: BulkReport) {
  const { counts, appNames, environments, untilMs } = uses;
  const flags = flagsOf(counts).map((flag, at) => [appNames[at], environments[at], untilMs[at], ...flag]);
  return { applications: applications ?? null, flags, impactMetrics: impactMetrics ?? null };
}

/** Whether the reader takes the body. What it takes has to be what every other way makes of it, and nothing that is refused. */
type IsTaken = (body: string | Uint8Array) => Promise<boolean>;

const isTaken: IsTaken = async (body) => {
  const bytes = Buffer.from(body as string);
  const report = reader.read(bytes);
  if (report === undefined) return false;
  const read = told(report);
  const parsed = await parseBody(ClientMetricsBody, {}, bytes);
  const plain = parsed instanceof Rejection ? parsed : reportOf(parsed.value as never);
  expect(plain).not.toBeInstanceOf(Rejection);
  expect(read).toEqual(told(plain as Report));
  return true;
};

const isTakenInBulk: IsTaken = async (body) => {
  const bytes = Buffer.from(body as string);
  const report = bulkReader.read(bytes);
  if (report === undefined) return false;
  const read = toldInBulk(report);
  const parsed = await parseBody(BulkMetricsBody, {}, bytes);
  expect(parsed).not.toBeInstanceOf(Rejection);
  if (!(parsed instanceof Rejection)) expect(read).toEqual(toldInBulk(bulkOf(parsed.value as never)));
  return true;
};

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

const IMPACT = [
  { name: 'purchases', help: 'Things bought', type: 'counter', samples: [{ labels: { plan: 'pro' }, value: 3 }] },
  {
    ...{ name: 'latency', help: 'é', type: 'histogram' },
    samples: [{ labels: {}, count: 2, sum: 0.75, buckets: [{ le: '+Inf', count: 2 }] }],
  },
];
const APPLICATION = {
  ...{ appName: 'shop', instanceId: 'shop-1', environment: 'development', sdkVersion: 'unleash-client-node:6.12.1' },
  ...{ strategies: ['default', 'flexibleRollout'], started: NOW, interval: 15_000, projects: ['default'] },
  connectVia: [{ appName: 'relay', instanceId: 'relay-1' }],
};
const BULK = {
  applications: [APPLICATION],
  metrics: [
    { featureName: 'checkout', appName: 'shop', environment: 'development', timestamp: NOW, ...TOGGLES.checkout },
    { featureName: 'checkout', appName: 'till', environment: null, yes: 1, no: null, sdkVersion: 'rust:1' },
    { featureName: '__proto__', appName: 'shop', timestamp: 1_795_348_800_000, variants: { red: 1 } },
  ],
  impactMetrics: IMPACT,
};

describe('what the reader knows', () => {
  it.each([
    ['what applications measure themselves', JSON.stringify({ ...REPORT, impactMetrics: IMPACT })],
    [
      'members that it has not heard of',
      JSON.stringify({ ...REPORT, unheardOf: { of: [1, -2.5e3, 'é', { a: '}"' }] } }),
    ],
    [
      'members of the bucket that it has not heard of',
      '{"appName":"a","bucket":{"is":[],"start":1,"stop":1,"toggles":{}}}',
    ],
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

  it.each([
    ['a report of a relay', JSON.stringify(BULK)],
    ['one with white space', JSON.stringify(BULK, null, 2)],
    ['nothing', '{}'],
    ['nothing of each', '{"applications":[],"metrics":[],"impactMetrics":null}'],
    ['nulls', '{"applications":null,"metrics":null}'],
    ['as much as a relay sends at once', JSON.stringify({ metrics: Array(400).fill(BULK.metrics[0]) })],
  ])('in bulk: %s', async (_, body) => {
    expect(await isTakenInBulk(body)).toBe(true);
  });
});

describe('what it leaves to others', () => {
  it.each([
    ['measured values that do not conform', '{"appName":"a","impactMetrics":[{"name":"a"}]}'],
    [
      'a key __proto__ in what was measured',
      '{"appName":"a","impactMetrics":[{"name":"a","type":"b","samples":[],"__proto__":1}]}',
    ],
    ['a member __proto__', '{"appName":"a","__proto__":1}'],
    ['an unknown member that is no JSON', '{"appName":"a","other":[1,}'],
    ['an unknown member that is none', '{"appName":"a","other":}'],
    ['a mark before a value', '{"appName":"a","other":\ufeff1}'],
    ['brackets that do not match', '{"appName":"a","other":[}]}'],
    ['more depth than a body may have', `{"appName":"a","other":${'['.repeat(64)}${']'.repeat(64)}}`],
    [
      'more values than a body may have',
      `{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{${Array.from({ length: 12_600 }, (_, at) => `"f${at}":{}`).join(',')}}}}`,
    ],
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
    ['half a number', '{"appName":"a","bucket":{"start":1,"stop":1,"toggles":{"a":{"yes":1.5}}}}'],
    ['a time that is none', '{"appName":"a","bucket":{"start":"then","stop":1,"toggles":{}}}'],
    ['text behind the end', '{"appName":"a"}x'],
    ['nothing', ''],
    ['more than may be read at once', JSON.stringify({ appName: 'a', sdkType: 'x'.repeat(READ_BYTES_MAX) })],
  ])('%s', async (_, body) => {
    expect(await isTaken(body)).toBe(false);
  });

  it.each([
    ['a flag without a name', '{"metrics":[{"appName":"a","yes":1}]}'],
    ['an empty name', '{"metrics":[{"featureName":"","appName":"a"}]}'],
    ['a flag of nobody', '{"metrics":[{"featureName":"a","yes":1}]}'],
    ['a time that is none', '{"metrics":[{"featureName":"a","appName":"a","timestamp":"then"}]}'],
    ['null as a time', '{"metrics":[{"featureName":"a","appName":"a","timestamp":null}]}'],
    ['yes twice', '{"metrics":[{"featureName":"a","appName":"a","yes":1,"yes":2}]}'],
    ['the metrics twice', '{"metrics":[],"metrics":[]}'],
    ['applications that do not conform', '{"applications":[{"appName":""}]}'],
    ['a list that does not end', '{"metrics":[{"featureName":"a","appName":"a"}'],
    ['a comma too many', '{"metrics":[{"featureName":"a","appName":"a"},]}'],
    ['a list', '[]'],
  ])('in bulk: %s', async (_, body) => {
    expect(await isTakenInBulk(body)).toBe(false);
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
    impactMetrics: fc.constantFrom(null, undefined, IMPACT, [], [{ name: 'a' }]),
    other: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['appName', 'bucket'] },
);
const use = fc.record(
  {
    featureName: name,
    appName: name,
    environment: text,
    timestamp: time,
    yes: count,
    no: count,
    variants,
    other: text,
  },
  { requiredKeys: ['featureName', 'appName'] },
);
const bulk = fc.record(
  {
    metrics: fc.option(fc.array(use, { maxLength: 4 })),
    applications: fc.constantFrom(null, [], [APPLICATION], [{ appName: 'a', connectVia: null }], [{}]),
    impactMetrics: fc.constantFrom(null, IMPACT),
    other: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
);

/** Where a document may be cut without cutting a name: what stands between is replaced. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|null|[{}[\]:,]/g;

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

const FORMS: readonly (readonly [name: string, fc.Arbitrary<unknown>, document: string, isTaken: IsTaken])[] = [
  ['of an SDK', report, JSON.stringify({ ...REPORT, impactMetrics: IMPACT }), isTaken],
  ['of a relay', bulk, JSON.stringify(BULK), isTakenInBulk],
];

describe.each(FORMS)(
  'a body %s that the reader takes is told as every other way tells it',
  (_, made, document, takes) => {
    it('when it is a report', async () => {
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(made, fc.nat(2), async (each, space) => {
          if (await takes(JSON.stringify(each, null, space))) taken++;
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
          if (await takes(mutated(document, changes))) taken++;
        }),
        { numRuns: 5_000 },
      );
      expect(taken).toBeGreaterThan(30);
    });

    it('when bytes of one are others', async () => {
      const whole = Buffer.from(document);
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, isCut) => {
          const bytes = Buffer.from(isCut ? whole.subarray(0, at) : whole);
          if (!isCut) bytes[at] = byte;
          if (await takes(bytes)) taken++;
        }),
        { numRuns: 3_000 },
      );
      expect(taken).toBeGreaterThan(30);
    });
  },
);

describe('names', () => {
  it('are told rightly when there are more than it remembers, and most are met the first time', async () => {
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
      await send({ appName: 'shop', instanceId: 'one', bucket: bucket(other), sdkType: 'é' });
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
    ['measured values that do not conform', '{"appName":"a","impactMetrics":[{"name":"a"}]}', '/impactMetrics/0'],
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
