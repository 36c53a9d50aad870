import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { plainRequest } from '../../support/http/request.ts';
import type { TestService } from '../../support/service.ts';
import { migrateFiles, savedIn, startTarget, TARGET_ADMIN } from './run-migrate.ts';

let directory: string;
let target: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-other-files-'));
  target = await startTarget();
});

afterEach(async () => {
  await target?.close();
  await rm(directory, { recursive: true, force: true });
});

const saved = (name: string, content: unknown) => savedIn(directory, name, content);
const migrate = (...args: readonly string[]) => migrateFiles(target.url, ...args);

const TO_DEVELOPMENT = ['--environment', 'development'];

/** The values that OpenFeature SDKs get, one for each context; `false` if the flag is off. */
async function answers(flag: string, contexts: readonly object[]): Promise<unknown[]> {
  const body = { tokenName: 'page', type: 'frontend', environment: 'development', projects: ['*'] };
  const { secret } = (await accepted(target, 'createApiToken', { body, token: TARGET_ADMIN })).body;
  return await Promise.all(
    contexts.map(async (context) => {
      const answer = await plainRequest(`${target.url}/ofrep/v1/evaluate/flags/${flag}`, {
        method: 'POST',
        headers: { authorization: secret, 'content-type': 'application/json' },
        body: JSON.stringify({ context }),
      });
      return JSON.parse(answer.text).value;
    }),
  );
}

/** How many of 150 users get each value. */
async function sharesOf(flag: string, context: object = {}): Promise<Record<string, number>> {
  const users = Array.from({ length: 150 }, (_, index) => ({ targetingKey: `user-${index}`, ...context }));
  const counts: Record<string, number> = {};
  // Fifty at a time: a busy machine may take so long to open 150 connections that the service closes silent ones.
  for (let start = 0; start < users.length; start += 50)
    for (const value of await answers(flag, users.slice(start, start + 50)))
      counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

describe('flagd', () => {
  const flag = (changes: object) => ({
    state: 'ENABLED',
    variants: { on: true, off: false },
    defaultVariant: 'off',
    ...changes,
  });
  const colours = { red: '#f00', blue: '#00f', green: '#0f0' };
  const email = { var: 'email' };
  const file = {
    $schema: 'https://flagd.dev/schema/v0/flags.json',
    flags: {
      plain: flag({ defaultVariant: 'on' }),
      asleep: flag({ state: 'DISABLED', defaultVariant: 'on' }),
      staff: flag({ targeting: { if: [{ $ref: 'isStaff' }, 'on'] } }),
      'all-but-staff': flag({
        targeting: { if: [{ and: [{ '!': [{ $ref: 'isStaff' }] }, { '!=': [{ var: 'plan' }, 'silver'] }] }, 'on'] },
      }),
      outsiders: flag({ defaultVariant: 'on', targeting: { if: [{ '!': { $ref: 'isStaff' } }, 'on', 'off'] } }),
      boolean: flag({
        variants: { true: true, false: false },
        defaultVariant: 'false',
        targeting: { '==': [{ var: 'plan' }, 'gold'] },
      }),
      tiers: flag({
        variants: { small: 1, middle: 5, large: 10 },
        defaultVariant: 'small',
        targeting: {
          if: [
            { in: [{ var: 'plan' }, ['gold', 'platinum']] },
            'large',
            { and: [{ '>=': [{ var: 'age' }, 18] }, { '<': [18, { var: 'age' }, 65] }] },
            'middle',
          ],
        },
      }),
      version: flag({ targeting: { if: [{ sem_ver: [{ var: 'version' }, '>=', '2.0.0'] }, 'on', 'off'] } }),
      nested: flag({
        variants: colours,
        defaultVariant: 'red',
        targeting: {
          if: [{ ends_with: [email, '@faas.com'] }, { if: [{ starts_with: [email, 'a'] }, 'blue', 'green'] }, null],
        },
      }),
      shared: flag({
        variants: { ...colours, big: { size: 9 } },
        defaultVariant: 'red',
        targeting: {
          fractional: [
            ['red', 50],
            ['blue', 20],
            ['green', 30],
          ],
        },
      }),
      'half-on': flag({
        targeting: {
          fractional: [
            ['on', 50],
            ['off', 50],
          ],
        },
      }),
      objects: flag({ variants: { a: { size: 1 }, b: { size: 2 } }, defaultVariant: 'b' }),
      later: flag({ targeting: { if: [{ '>': [{ var: '$flagd.timestamp' }, 4_000_000_000] }, 'on', 'off'] } }),
      since: flag({ targeting: { if: [{ '>=': [{ var: '$flagd.timestamp' }, 1_600_000_000] }, 'on', 'off'] } }),
      'missing-is-zero': flag({ targeting: { if: [{ '<': [{ var: 'age' }, 18] }, 'on', 'off'] } }),
      caret: flag({ targeting: { if: [{ sem_ver: [{ var: 'version' }, '^', '2.0.0'] }, 'on', 'off'] } }),
      worked: flag({ targeting: { if: [{ '>': [{ '%': [{ var: 'id' }, 2] }, 0] }, 'on', 'off'] } }),
      within: flag({ targeting: { if: [{ '==': [{ var: 'user.email' }, 'a'] }, 'on', 'off'] } }),
      unknown: flag({ targeting: { if: [true, 'purple', 'off'] } }),
      undefaulted: flag({ defaultVariant: null, targeting: { if: [{ '==': [email, 'a'] }, 'on'] } }),
    },
    $evaluators: { isStaff: { in: ['@example.org', email] } },
  };

  it('gives the same answers, and reports each flag that it cannot import, with the reason', async () => {
    const path = await saved('flags.flagd.json', file);
    const rehearsed = await migrate('--file', path, ...TO_DEVELOPMENT, '--dry-run');
    expect(rehearsed.said).toMatch(/14 flags would be created/);
    const { code, said } = await migrate('--file', path, ...TO_DEVELOPMENT);
    expect(code).toBe(3);
    for (const reason of [
      'missing-is-zero: its rule matches contexts without age',
      'caret: its rule compares versions with "^"',
      'worked: its rule calculates',
      'within: its rule reads user.email',
      'unknown: a rule of it returns "purple"',
      'undefaulted: it has no default variant',
    ])
      expect(said).toContain(`flags: ${reason}`);
    expect(said).toMatch(/flag shared: its percentages stay the same, but Burgee hashes differently/);
    expect(said).toMatch(/flag asleep: it is disabled in the file/);
    const staff = { targetingKey: 'u', email: 'ann@example.org', plan: 'gold', age: 30, version: '2.1.0' };
    const guest = { targetingKey: 'u', email: 'ann@faas.com', age: '17', version: '1.9.9' };
    const anonymous = {};
    const of = (name: string) => answers(name, [staff, guest, anonymous]);
    expect(await of('plain')).toEqual([true, true, true]);
    expect(await of('asleep')).toEqual([false, false, false]);
    expect(await of('staff')).toEqual([true, false, false]);
    expect(await of('all-but-staff')).toEqual([false, true, true]);
    expect(await answers('all-but-staff', [{ plan: 'silver' }])).toEqual([false]);
    expect(await of('outsiders')).toEqual([false, true, true]);
    expect(await of('boolean')).toEqual([true, false, false]);
    expect(await of('tiers')).toEqual([10, 1, 1]);
    expect(await answers('tiers', [{ age: 18 }, { age: 19 }, { age: 65 }])).toEqual([1, 5, 1]);
    expect(await of('version')).toEqual([true, false, false]);
    expect(await of('nested')).toEqual(['#f00', '#00f', '#f00']);
    expect(await answers('nested', [{ email: 'bo@faas.com' }])).toEqual(['#0f0']);
    expect(await of('objects')).toEqual([{ size: 2 }, { size: 2 }, { size: 2 }]);
    expect(await of('later')).toEqual([false, false, false]);
    expect(await of('since')).toEqual([true, true, true]);
    const shared = await sharesOf('shared');
    expect(Object.keys(shared).sort()).toEqual(['#00f', '#0f0', '#f00']);
    expect(shared['#f00']).toBeGreaterThan(60);
    expect(shared['#00f']).toBeLessThan(45);
    const half = await sharesOf('half-on');
    expect(half.true).toBeGreaterThan(60);
    expect(half.false).toBeGreaterThan(60);
    const { seq } = target.running.services.state;
    await migrate('--file', path, ...TO_DEVELOPMENT);
    expect(target.running.services.state.seq).toBe(seq);
  });

  it('requires the option --environment', async () => {
    const { code, said } = await migrate('--file', await saved('flags.json', file));
    expect([code, said]).toEqual([
      1,
      expect.stringContaining('does not contain its environment: specify --environment'),
    ]);
  });
});

describe('versions and failing operators of flagd', () => {
  const version = { var: 'version' };
  const sent = (targeting: object, defaultVariant: string, variants: object = { true: true, false: false }) => ({
    state: 'ENABLED',
    variants,
    defaultVariant,
    targeting,
  });
  const file = {
    flags: {
      since: sent({ if: [{ sem_ver: [version, '>=', '2.1'] }, 'true', 'false'] }, 'false'),
      before: sent({ if: [{ sem_ver: [version, '<', 'v2.1.3'] }, 'true', 'false'] }, 'false'),
      equal: sent({ if: [{ sem_ver: [version, '=', 2] }, 'true', 'false'] }, 'false'),
      alone: sent({ sem_ver: [version, '=', '1.0.0'] }, 'true'),
      'alone-and-false': sent({ sem_ver: [version, '=', '1.0.0'] }, 'false'),
      prefix: sent({ starts_with: [version, '2'] }, 'other', { true: 'yes', false: 'no', other: 'default' }),
      mixed: sent({ and: [{ sem_ver: [version, '>', '1.0.0'] }, { '==': [{ var: 'plan' }, 'gold'] }] }, 'true'),
      beta: sent({ if: [{ sem_ver: [version, '>', '2.0.0-beta'] }, 'true', 'false'] }, 'false'),
      wrong: sent({ if: [{ sem_ver: [version, '>', 'two'] }, 'true', 'false'] }, 'false'),
    },
  };

  it('evaluate as in flagd: short versions, numbers, a v, and the default variant where an operator alone fails', async () => {
    const { code, said } = await migrate('--file', await saved('versions.json', file), ...TO_DEVELOPMENT);
    expect(code).toBe(3);
    expect(said).toContain('flags: mixed: its rule is a combination of operators that fail for some contexts');
    expect(said).toContain('flags: beta: its rule compares with the pre-release "2.0.0-beta"');
    expect(said).toContain('flags: wrong: its rule compares with "two", which is not a version');
    const versions = ['2.1', 'v2.1.0', 2.1, '2', 2, '2.1.3', '2.1.3-rc.1', '10', 'V3', 'nothing'];
    const contexts = versions.map((value) => ({ version: value }));
    const on = async (flag: string) => {
      const values = await answers(flag, contexts);
      return versions.filter((_value, at) => values[at] === true);
    };
    expect(await on('since')).toEqual(['2.1', 'v2.1.0', 2.1, '2.1.3', '2.1.3-rc.1', '10', 'V3']);
    expect(await on('before')).toEqual(['2.1', 'v2.1.0', 2.1, '2', 2, '2.1.3-rc.1']);
    expect(await on('equal')).toEqual(['2', 2]);
    const some = [{ version: '1' }, { version: '2.0' }, { version: 'nothing' }, {}];
    expect(await answers('alone', some)).toEqual([true, false, true, true]);
    expect(await answers('alone-and-false', some)).toEqual([true, false, false, false]);
    expect(await answers('prefix', some)).toEqual(['no', 'yes', 'no', 'default']);
  });
});

describe('GO Feature Flag', () => {
  const file = `
banner:
  variations: { enabled: true, disabled: false }
  targeting:
    - name: testers
      query: email ew "@example.org" and (plan eq "GOLD" or age ge 18)
      variation: enabled
    - query: not (country in ["NO", "SE"])
      variation: disabled
  defaultRule: { variation: enabled }
scream:
  variations: { low: whisper, medium: talk, high: scream }
  targeting:
    - query: targetingKey eq "aae1" and version ne 1.2.3
      variation: high
    - query: '{"==": [{"var": "plan"}, "silver"]}'
      percentage: { low: 0, medium: 30, high: 70 }
  defaultRule:
    percentage: { low: 10, medium: 50, high: 40 }
present:
  variations: { a: 1, b: 2 }
  targeting: [{ query: company pr, variation: b }]
  defaultRule: { variation: a }
by-company:
  bucketingKey: company
  variations: { a: x, b: y }
  defaultRule: { percentage: { a: 50, b: 50 } }
off:
  disable: true
  variations: { a: x, b: y }
  defaultRule: { variation: a }
progressive:
  variations: { on: true, off: false }
  defaultRule: { progressiveRollout: { initial: { variation: off, percentage: 0 }, end: { variation: on, percentage: 100 } } }
experiment:
  variations: { on: true, off: false }
  defaultRule: { variation: off }
  experimentation: { start: 2030-01-01T00:00:00Z, end: 2031-01-01T00:00:00Z }
ordered:
  variations: { on: true, off: false }
  targeting: [{ query: name gt "m", variation: on }]
  defaultRule: { variation: off }
broken:
  variations: { on: true, off: false }
  targeting: [{ query: name eq, variation: on }]
deep:
  variations: { on: true, off: false }
  targeting: [{ query: '${'('.repeat(20_000)}plan eq "gold"${')'.repeat(20_000)}', variation: on }]
  defaultRule: { variation: off }
`;

  it('gives the same answers, and reports each flag that it cannot import, with the reason', async () => {
    const path = await saved('flags.goff.yaml', file);
    const { code, said } = await migrate('--file', path, ...TO_DEVELOPMENT);
    expect(code).toBe(3);
    for (const reason of [
      'progressive: it has a progressiveRollout',
      'experiment: it has an experimentation',
      'ordered: its query compares the order of two texts',
      'broken: its query is incomplete',
      'deep: its rules are nested too deeply',
    ])
      expect(said).toContain(`flags: ${reason}`);
    expect(
      await answers('banner', [
        { email: 'ann@EXAMPLE.org', plan: 'gold', country: 'DE' },
        { email: 'ann@example.org', plan: 'golden', age: 18, country: 'DE' },
        { email: 'ann@example.org', country: 'DE' },
        { email: 'ann@example.org', country: 'NO' },
        { country: 'no' },
        {},
      ]),
    ).toEqual([true, true, false, true, false, false]);
    expect(
      await answers('scream', [
        { targetingKey: 'AAE1', version: '2.0.0' },
        { targetingKey: 'aae1', version: '1.2.3' },
      ]),
    ).toEqual(['scream', expect.stringMatching(/whisper|talk|scream/)]);
    expect(Object.keys(await sharesOf('scream', { plan: 'silver' })).sort()).toEqual(['scream', 'talk']);
    const all = await sharesOf('scream');
    expect(all.whisper).toBeLessThan(27);
    expect(all.talk).toBeGreaterThan(60);
    expect(await answers('present', [{ company: 'x' }, {}])).toEqual([2, 1]);
    const [one, again, none] = await answers('by-company', [{ company: 'x' }, { company: 'x', targetingKey: '2' }, {}]);
    expect(['x', 'y']).toContain(one);
    // Off: without a value, so that the default value of the application applies.
    expect([again, none]).toEqual([one, undefined]);
    expect(await answers('off', [{}])).toEqual([undefined]);
  });

  it('gives the same answers for a schedule at every time', async () => {
    const year = (number: number) => `${number}-01-01T00:00:00Z`;
    const [on, off] = [{ variation: 'on' }, { variation: 'off' }];
    const switched = { variations: { on: true, off: false }, defaultRule: off };
    const beta = { name: 'beta', query: 'plan eq "beta"' };
    const file = {
      stepped: {
        ...switched,
        scheduledRollout: [
          { date: year(2030), targeting: [{ ...beta, ...on }] },
          { date: year(2031), defaultRule: on },
          {
            date: year(2032),
            targeting: [
              { name: 'beta', ...off },
              { query: 'plan eq "gold"', ...on },
            ],
            defaultRule: off,
          },
          { date: year(2033), disable: true },
          { date: year(2034), disable: false, defaultRule: on, targeting: [{ name: 'beta', disable: true }] },
        ],
      },
      'last-word': {
        ...switched,
        scheduledRollout: [
          { date: year(2031), defaultRule: on },
          { date: year(2030), defaultRule: off },
        ],
      },
      shares: {
        variations: { red: 'r', blue: 'b', green: 'g' },
        defaultRule: { percentage: { red: 100 } },
        scheduledRollout: [
          { date: year(2030), defaultRule: { percentage: { red: 0, blue: 100 } } },
          { date: year(2031), defaultRule: { variation: 'green' } },
          { date: year(2032), variations: { blue: 'navy' } },
        ],
      },
      now: {
        ...switched,
        scheduledRollout: [
          { date: year(2020), defaultRule: on },
          { date: year(2120), defaultRule: off },
        ],
      },
      undated: { ...switched, scheduledRollout: [{ defaultRule: on }] },
      gradual: { ...switched, scheduledRollout: [{ date: year(2030), defaultRule: { progressiveRollout: {} } }] },
      wrong: { ...switched, scheduledRollout: [{ date: 'soon', defaultRule: on }] },
    };
    const { said } = await migrate('--file', await saved('flags.json', file), ...TO_DEVELOPMENT);
    expect(said).toContain('flags: gradual: it has a progressiveRollout');
    expect(said).toContain('flags: wrong: a step of its scheduledRollout has the date "soon"');
    const at = async (name: string, currentTime: string, plan: string) => {
      const context = { appName: 'test', userId: 'ann', currentTime, properties: { plan } };
      const body = { projects: '*', environment: 'development', context };
      const { features } = (await accepted(target, 'getPlayground', { body, token: TARGET_ADMIN })).body;
      const found = features.find((feature: { name: string }) => feature.name === name);
      return found.variant?.payload?.value ?? found.isEnabled;
    };
    const moments = [
      '2029-06-01T00:00:00Z',
      year(2030),
      '2030-01-01T00:00:00.001Z',
      ...[2031, 2032, 2033, 2034].map((one) => `${one}-06-01T00:00:00Z`),
    ];
    const timeline = (name: string, plan: string) => Promise.all(moments.map((moment) => at(name, moment, plan)));
    expect(await timeline('stepped', 'beta')).toEqual([false, false, true, true, false, false, true]);
    expect(await timeline('stepped', 'gold')).toEqual([false, false, false, true, true, false, true]);
    expect(await timeline('stepped', 'none')).toEqual([false, false, false, true, false, false, true]);
    expect(await timeline('last-word', 'none')).toEqual([false, false, false, false, false, false, false]);
    expect(await timeline('shares', 'none')).toEqual(['r', 'r', 'b', 'b', 'navy', 'navy', 'navy']);
    expect(await answers('now', [{}])).toEqual([true]);
    expect(await answers('undated', [{}])).toEqual([false]);
  });

  it('reads the same as JSON', async () => {
    const goFlags = { hello: { variations: { on: true, off: false }, defaultRule: { variation: 'on' } } };
    const { code, said } = await migrate('--file', await saved('flags.json', goFlags), ...TO_DEVELOPMENT);
    expect(code, said).toBe(0);
    expect(await answers('hello', [{}])).toEqual([true]);
  });
});

describe('Flipt', () => {
  const file = `
version: "1.4"
namespace: { key: default, name: Default }
flags:
  - key: colour
    name: Colour
    type: VARIANT_FLAG_TYPE
    description: About colours
    enabled: true
    variants:
      - { key: red, attachment: { hex: "#f00" } }
      - { key: blue }
      - { key: grey, default: true }
    rules:
      - segment: { keys: [staff, germans], operator: AND_SEGMENT_OPERATOR }
        distributions: [{ variant: red, rollout: 100 }]
      - segment: germans
        distributions: [{ variant: blue, rollout: 50 }]
  - key: off-with-default
    type: VARIANT_FLAG_TYPE
    enabled: false
    variants: [{ key: a, default: true }, { key: b }]
    rules: [{ segment: staff, distributions: [{ variant: b, rollout: 100 }] }]
  - key: torn
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: a }]
    rules: [{ segment: staff, distributions: [{ variant: gone, rollout: 100 }] }]
  - key: plain
    type: BOOLEAN_FLAG_TYPE
    enabled: true
  - key: rolled
    type: BOOLEAN_FLAG_TYPE
    enabled: false
    rollouts:
      - segment: { key: germans, value: false }
      - segment: { key: anybody, value: true }
      - threshold: { percentage: 30, value: true }
  - key: mostly
    type: BOOLEAN_FLAG_TYPE
    enabled: true
    rollouts: [{ threshold: { percentage: 20, value: false } }]
  - key: odd
    type: BOOLEAN_FLAG_TYPE
    enabled: false
    rollouts: [{ threshold: { percentage: 20, value: false } }, { segment: { key: staff, value: true } }]
  - key: without-list
    type: BOOLEAN_FLAG_TYPE
    rollouts: [{ segment: { key: nobody, value: true } }]
  - key: with-mixed-list
    type: BOOLEAN_FLAG_TYPE
    rollouts: [{ segment: { key: mixed, value: true } }]
  - key: timed
    type: BOOLEAN_FLAG_TYPE
    enabled: false
    rollouts: [{ segment: { key: aged, value: true } }]
segments:
  - key: staff
    match_type: ALL_MATCH_TYPE
    constraints:
      - { type: STRING_COMPARISON_TYPE, property: email, operator: suffix, value: "@example.org" }
      - { type: STRING_COMPARISON_TYPE, property: email, operator: neq, value: "bot@example.org" }
  - key: germans
    match_type: ANY_MATCH_TYPE
    constraints:
      - { type: STRING_COMPARISON_TYPE, property: country, operator: isoneof, value: '["DE", "AT"]' }
      - { type: STRING_COMPARISON_TYPE, property: language, operator: isoneof, value: [de, bar] }
      - { type: NUMBER_COMPARISON_TYPE, property: zone, operator: isoneof, value: [49, 43] }
      - { type: BOOLEAN_COMPARISON_TYPE, property: german, operator: "true" }
  - key: anybody
    match_type: ANY_MATCH_TYPE
    constraints:
      - { type: ENTITY_ID_COMPARISON_TYPE, property: entity, operator: eq, value: somebody }
      - { type: NUMBER_COMPARISON_TYPE, property: age, operator: gte, value: "65" }
      - { type: STRING_COMPARISON_TYPE, property: guest, operator: notempty }
  - key: nobody
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: STRING_COMPARISON_TYPE, property: country, operator: isoneof }]
  - key: mixed
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: NUMBER_COMPARISON_TYPE, property: zone, operator: isnotoneof, value: [49, "43"] }]
  - key: aged
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: DATETIME_COMPARISON_TYPE, property: birthday, operator: lt, value: "2000-01-01" }]
---
namespace: payments
flags:
  - { key: pay-later, type: BOOLEAN_FLAG_TYPE, enabled: true }
`;

  it('gives the same answers, and reports each flag that it cannot import, with the reason', async () => {
    const path = await saved('features.yml', file);
    const { code, said } = await migrate('--file', path, ...TO_DEVELOPMENT);
    expect(code).toBe(3);
    expect(said).toContain('flags: odd: a rule of it is off for a percentage of its contexts');
    expect(said).toContain('flags: torn: a rule of it returns "gone", a variant that it does not have');
    expect(said).toContain('flags: without-list: a segment of it needs a list of texts, and has none');
    expect(said).toContain('flags: with-mixed-list: a segment of it needs a list of numbers, not [49,"43"]');
    expect(said).toContain('flags: timed: it compares the time in birthday');
    expect(said).toMatch(/flag off-with-default: it is off in the file and returns its default variant/);
    expect(
      await answers('colour', [
        { email: 'ann@example.org', country: 'DE' },
        { email: 'bot@example.org', country: 'NO' },
        {},
      ]),
    ).toEqual([{ hex: '#f00' }, 'grey', 'grey']);
    const germans = await sharesOf('colour', { german: true });
    expect(Object.keys(germans).sort()).toEqual(['blue', 'grey']);
    expect(germans.blue).toBeGreaterThan(60);
    expect(germans.grey).toBeGreaterThan(60);
    expect(await answers('off-with-default', [{ email: 'ann@example.org' }])).toEqual(['a']);
    expect(await answers('plain', [{}])).toEqual([true]);
    const [german, named, old, young] = await answers('rolled', [
      { targetingKey: 'somebody', country: 'AT' },
      { targetingKey: 'somebody' },
      { age: 65, targetingKey: 'x' },
      { guest: 'yes', country: 'DE' },
    ]);
    expect([german, named, old, young]).toEqual([false, true, true, false]);
    const inListsOfYaml = [{ language: 'bar' }, { language: 'en' }, { zone: 43 }, { zone: 47 }];
    const noGermans = inListsOfYaml.map((context) => ({ ...context, guest: 'yes' }));
    expect(await answers('rolled', noGermans)).toEqual([false, true, false, true]);
    const rolled = await sharesOf('rolled');
    expect(rolled.true).toBeGreaterThan(33);
    expect(rolled.true).toBeLessThan(57);
    expect(await sharesOf('rolled', { country: 'DE' })).toEqual({ false: 150 });
    const mostly = await sharesOf('mostly');
    expect(mostly.true).toBeGreaterThan(105);
    expect(mostly.false).toBeGreaterThan(18);
    expect(target.running.services.state.get('features', 'colour')?.description).toBe('About colours');
    expect(target.running.services.state.get('features', 'pay-later')?.project).toBe('payments');
  });
});

describe('lists for SDKs, and the backup folder of Edge', () => {
  const feature = (name: string, changes: object = {}) => ({
    name,
    type: 'release',
    enabled: true,
    project: 'default',
    stale: false,
    impressionData: false,
    variants: [],
    strategies: [
      {
        name: 'flexibleRollout',
        parameters: { rollout: '100', stickiness: 'default', groupId: name },
        constraints: [],
        segments: [3],
      },
    ],
    ...changes,
  });
  const segments = [{ id: 3, name: 'gold', constraints: [{ contextName: 'plan', operator: 'IN', values: ['gold'] }] }];
  const list = (...features: object[]) => ({ version: 2, features, segments, query: { environment: 'development' } });

  it('imports a list of one environment', async () => {
    const { code, said } = await migrate('--file', await saved('features.json', list(feature('one'))));
    expect(code, said).toBe(0);
    expect(await answers('one', [{ plan: 'gold' }, {}])).toEqual([true, false]);
  });

  it('imports the simplified form', async () => {
    const simplified = { on: { enabled: true }, off: { enabled: false }, which: { enabled: true, variant: 'blue' } };
    const { code, said } = await migrate('--file', await saved('simple.json', simplified), ...TO_DEVELOPMENT);
    expect(code, said).toBe(0);
    expect(await answers('on', [{}])).toEqual([true]);
    expect(await answers('off', [{}])).toEqual([false]);
    const which = target.running.services.state.get('features', 'which');
    expect(which?.environments[0]?.variants.map(({ name }) => name)).toEqual(['blue']);
  });

  it('imports a backup folder of Edge: its lists, and the tokens with their secrets', async () => {
    const lists = [
      ['development', list(feature('both'), feature('one'))],
      ['production', { ...list(feature('both', { enabled: false })), query: undefined }],
    ];
    const token = (secret: string, changes: object) => ({
      token: secret,
      type: 'client',
      environment: 'development',
      projects: ['*'],
      status: 'Validated',
      ...changes,
    });
    const tokens = [
      token('*:development.kept', {}),
      token('*:development.wrong', { status: 'Invalid' }),
      token('default:production.page', { type: 'frontend', environment: 'production', projects: ['default'] }),
    ];
    const files = [await saved('unleash_features.json', lists), await saved('unleash_tokens.json', tokens)];
    const { code, said } = await migrate(...files.flatMap((file) => ['--file', file]));
    expect(code, said).toBe(0);
    expect(said).not.toContain('development.kept');
    const asked = (secret: string) =>
      fetch(`${target.url}/api/client/features`, { headers: { authorization: secret } });
    const served = (await (await asked('*:development.kept')).json()) as { features: { name: string }[] };
    expect(served.features.map(({ name }) => name)).toEqual(['both', 'one']);
    expect((await asked('*:development.wrong')).status).toBe(401);
    const both = target.running.services.state.get('features', 'both')?.environments;
    expect(both?.map(({ environment, enabled }) => [environment, enabled]).sort()).toEqual([
      ['development', true],
      ['production', false],
    ]);
    const { seq } = target.running.services.state;
    await migrate(...files.flatMap((file) => ['--file', file]));
    expect(target.running.services.state.seq).toBe(seq);
  });
});

it('reports a file in an unknown format, and changes nothing', async () => {
  const { seq } = target.running.services.state;
  for (const [name, content] of [
    ['cut.yaml', 'flags: [{ key: '],
    ['else.yaml', 'hello: 1\n'],
    ['numbers.json', [1, 2, 3]],
    [
      'bomb.yaml',
      `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[index]}`).join()}]`)
        .join('\n')}\n`,
    ],
  ] as const) {
    const { code, said } = await migrate('--file', await saved(name, content), ...TO_DEVELOPMENT);
    expect([code, said.trim().split('\n').length]).toEqual([1, 1]);
    expect(said).toContain(name);
  }
  expect(target.running.services.state.seq).toBe(seq);
});
