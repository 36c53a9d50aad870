import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snippets } from '../../../console/src/domain/snippets.ts';
import { strategySentences } from '../../../console/src/words/en/differences.ts';
import { COLLECTIONS, conflictWords, objectName } from '../../../console/src/words/en/history.ts';
import { kit } from '../../../console/src/words/en/kit.ts';
import { numberText } from '../../../console/src/words/number-text.ts';
import { constraintText, ruleText } from '../../../console/src/words/rule-words.ts';
import { RECORDED } from '../../../src/features/modules.ts';
import { OPERATORS } from '../../../src/model/constraint.ts';

/** As the language of this machine writes it. */
const percent = (share: number) => numberText(share / 100, 'percent');
const rollout = (parameters: Record<string, string>) => ruleText({ name: 'flexibleRollout', parameters });
const constraint = (operator: string, given: object = {}) =>
  constraintText({ contextName: 'country', operator, values: ['NO', 'SE'], value: '3', ...given });

describe('small words', () => {
  it('count one SDK, and name the application of a token without characters that end a text', () => {
    expect([kit.givenTo(0, 1), kit.givenTo(1, 2)]).toEqual([
      expect.stringMatching(/of 1 SDK$/),
      expect.stringMatching(/of 2 SDKs$/),
    ]);
    const values = { url: 'http://x', token: 't', flag: 'f' };
    const appName = `it's "$(x)" \\`;
    for (const { code } of snippets({ ...values, appName }))
      if (code.includes('its ')) expect(code).toContain('its (x)');
    expect(snippets(values)[0]?.code).toContain("appName: 'my-app'");
    expect(snippets({ ...values, appName })[0]?.code).toContain("appName: 'its (x)'");
  });

  it('leave out a group that is the name of the flag', () => {
    const strategy = (parameters: Record<string, string>) => ({
      id: '1',
      name: 'flexibleRollout',
      title: null,
      disabled: false,
      constraints: [],
      segments: [],
      variants: [],
      parameters,
    });
    const said = (before: string | undefined, after: string | undefined) =>
      strategySentences(
        strategy(before === undefined ? {} : { groupId: before }),
        strategy(after === undefined ? {} : { groupId: after }),
        new Map(),
        'flag',
      ).map(({ text }) => text);
    expect([said('flag', undefined), said(undefined, 'flag')]).toEqual([[], []]);
    expect(said('flag', 'other')).toEqual(['Group: `flag` → `other`']);
    expect(said('other', undefined)).toEqual(['Group: `other` → `none`']);
  });
});

describe('the sentence of a strategy', () => {
  it('joins the rollout, the constraints and the segments', () => {
    const text = ruleText({
      name: 'flexibleRollout',
      parameters: { rollout: '25', stickiness: 'userId' },
      constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
      segments: ['beta'],
    });
    expect(text).toBe(`${percent(25)} by userId and country in (NO, SE) and in segment beta`);
  });

  it('says everyone only if nothing is asked', () => {
    expect(ruleText({ name: 'default' })).toBe('everyone');
    expect(rollout({ rollout: '100', stickiness: 'userId' })).toBe('everyone');
    expect(ruleText({ name: 'default', segments: ['beta'] })).toBe('in segment beta');
  });

  it('names shares that are no one, missing, or not whole', () => {
    expect(rollout({ rollout: '0' })).toBe('no one (0 %)');
    expect(rollout({ rollout: '' })).toBe('no one: its percentage is missing');
    expect(rollout({ rollout: '0.5', stickiness: 'random' })).toBe(`${percent(0.5)} at random`);
    expect(rollout({ rollout: '25', stickiness: 'default' })).toBe(`${percent(25)} by user or session`);
  });

  it('shows that a list is not finished while it is empty', () => {
    expect(constraint('IN', { values: [] })).toBe('country in …');
  });

  it('reads the lists of the older strategies', () => {
    expect(ruleText({ name: 'userWithId', parameters: { userIds: 'ada, grace,,' } })).toBe('userId in (ada, grace)');
    expect(ruleText({ name: 'remoteAddress', parameters: { IPs: '10.0.0.0/8' } })).toBe('remoteAddress in 10.0.0.0/8');
    expect(ruleText({ name: 'gradualRolloutSessionId', parameters: { percentage: '5' } })).toBe(
      `${percent(5)} by sessionId`,
    );
  });

  it('shows a strategy of another kind with its parameters', () => {
    expect(ruleText({ name: 'moon', parameters: { phase: 'full', empty: '' } })).toBe(
      'custom strategy moon phase: full',
    );
  });

  it('cuts long lists and says how many more there are', () => {
    expect(constraint('IN', { values: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })).toBe('country in (a, b, c, d, e, +2)');
  });
});

describe('the sentence of a constraint', () => {
  it.each(OPERATORS)('has its own words for %s, and others for its opposite', (operator) => {
    const plain = constraint(operator);
    expect(plain).not.toContain(operator);
    expect(constraint(operator, { inverted: true })).not.toBe(plain);
  });

  it('is different for every operator, but for one that is the opposite of another', () => {
    const texts = OPERATORS.map((operator) => constraint(operator));
    expect(new Set(texts).size).toBe(OPERATORS.length);
    expect(constraint('NOT_IN')).toBe(constraint('IN', { inverted: true }));
  });

  it('says where case is ignored', () => {
    expect(constraint('STR_CONTAINS', { values: ['a'], caseInsensitive: true })).toBe(
      'country contains a ignoring case',
    );
    expect(constraint('NUM_GT', { caseInsensitive: true })).toBe('country > 3');
  });

  it('has every value of a short list', () => {
    const values = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(values, (given) => given.every((value) => constraint('IN', { values: given }).includes(value))),
    );
  });
});

describe('the sentence of a field that was changed again', () => {
  const message = 'This field was changed again. Its current value is in `current`.';

  it('knows each collection of the server', () => {
    expect(Object.fromEntries(COLLECTIONS)).toEqual(
      Object.fromEntries(Object.entries(RECORDED).map(([name, { type }]) => [name, type])),
    );
  });

  it.each([
    ['/environments/development/type', 'test', 'Environment `development`: Type, now `test`'],
    ['/roles/7/description', 'New', 'Role `#7`: Description, now `New`'],
    ['/contextFields/country/stickiness', false, 'Context field `country`: Stickiness, now `false`'],
    ['/projectRoles/user:12:shop/roles', null, 'Access to a project `shop: user #12`: Roles, it is gone'],
    [
      '/features/cart/environments/production/strategies/01H/parameters/rollout',
      60,
      /^Flag `cart`: Rollout in `production`, now `60%`$/,
    ],
    ['/segments/3/constraints', [1, 2], 'Segment `#3`: Constraints, now a list of 2'],
    ['/nothing/3/name', 1, message],
  ])('%s names the object, the field and its value', (path, current, text) => {
    const words = conflictWords({ path, current, message });
    if (typeof text === 'string') expect(words).toBe(text);
    else expect(words).toMatch(text);
  });

  it('has what the commit set, in the environment of the field', () => {
    const change = { type: 'feature' as const, id: 'cart', name: null, project: 'shop', kind: 'changed' as const };
    const path = '/strategies/01H/parameters/rollout';
    const changes = [
      {
        ...change,
        environment: null,
        fields: [
          { path: '/description', before: 'Old' },
          { path: '/name', after: null },
        ],
      },
      { ...change, environment: 'staging', fields: [{ path, before: '1', after: '2' }] },
      { ...change, environment: 'production', fields: [{ path, before: '0', after: '100' }] },
    ];
    const words = (of: string, current: unknown) => conflictWords({ path: of, current, message }, changes);
    expect(words(`/features/cart/environments/production${path}`, '60')).toBe(
      'Flag `cart`: Rollout in `production`, `100%` after this change, now `60%`',
    );
    expect(words('/features/cart/description', 'New')).toBe(
      'Flag `cart`: Description, removed by this change, now `New`',
    );
    expect(words('/features/cart/name', false)).toBe('Flag `cart`: Name, nothing after this change, now `false`');
    expect(words('/features/cart/type', 'release')).toBe('Flag `cart`: Type, now `release`');
  });

  it('has the name of the object, from the changes of the commit', () => {
    const change = { project: 'shop', environment: null, kind: 'changed' as const, fields: [] };
    const group = { ...change, type: 'group' as const, id: '7', name: 'Editors' };
    const access = { ...change, type: 'project-access' as const, id: 'user:12:shop', name: 'ada' };
    const strategy = {
      ...change,
      type: 'default-strategy' as const,
      id: 'shop',
      environment: 'production',
      name: null,
    };
    const words = (path: string) => conflictWords({ path, current: 'x', message }, [group, access, strategy]);
    expect(words('/groups/7/description')).toBe('Group `Editors`: Description, now `x`');
    expect(words('/projectRoles/user:12:shop/roles')).toBe('Access to a project `shop: ada`: Roles, now `x`');
    expect(words('/defaultStrategies/shop/production/name')).toBe(
      'Default strategy `shop`: Name in `production`, now `x`',
    );
    expect(objectName(group, new Map())).toBe('Group Editors');
    expect(objectName({ ...change, type: 'group-member', id: '7:12', name: 'ada in Editors' }, new Map())).toBe(
      'Member of a group ada in Editors',
    );
  });
});
