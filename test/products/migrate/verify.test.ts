import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Imported } from '../../../src/features/import-export/instance/input.ts';
import { type Holdings, noHoldings } from '../../../src/products/migrate/holdings.ts';
import { importHoldings, serviceImporter } from '../../../src/products/migrate/importer.ts';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { readInstance } from '../../../src/products/migrate/instance-reader.ts';
import { addressesAround } from '../../../src/products/migrate/verify/sample-addresses.ts';
import { verificationText, verify } from '../../../src/products/migrate/verify/verify.ts';
import { type Token, tokenScopesOf } from '../../../src/products/migrate/verify/verify-tokens.ts';
import { accepted } from '../../support/admin.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const DEVELOPMENT = Array.from({ length: 101 }, (_, index) => `*:development.client-${index}`);
const PRODUCTION = '*:production.client';
/** More differences than one page contains. */
const ONLY_THERE = Array.from({ length: 210 }, (_, index) => `only-there-${index}`);

let source: TestService;
let target: TestService;
let holdings: Holdings;

beforeAll(async () => {
  const tokensOf = (tokens: readonly string[]) => ({ INIT_CLIENT_API_TOKENS: tokens.join(',') });
  source = await startTestService({ env: tokensOf([...DEVELOPMENT, PRODUCTION]) });
  const known = DEVELOPMENT.filter((_, index) => index !== 50);
  target = await startTestService({ env: { ...tokensOf([...known, PRODUCTION]), INIT_FRONTEND_API_TOKENS: '' } });
  await accepted(source, 'createEnvironment', { body: { name: 'staging', type: 'preproduction' } });
  await fill(source, [
    flag('same'),
    ...ONLY_THERE.map((name) => flag(name)),
    flag('in-network', { constraints: [inNetwork('10.1.0.0/16')] }),
    flag('in-new-network', { constraints: [inNetwork('2001:db8::/32')] }),
    flag('of-machines', { name: 'remoteAddress', parameters: { IPs: '192.168.0.0/24' } }),
  ]);
  await fill(target, [
    flag('same'),
    flag('in-network', { constraints: [inNetwork('10.1.0.0/17')] }),
    flag('in-new-network', { constraints: [inNetwork('2001:db8::/33')] }),
    flag('of-machines', { name: 'remoteAddress', parameters: { IPs: '192.168.0.0/25' } }),
  ]);
  holdings = await readInstance(clientOf(source));
});

afterAll(async () => {
  await source?.close();
  await target?.close();
});

type Flag = Imported<'features'>;
type Strategy = Flag['environments'][number]['strategies'][number];

function flag(name: string, of: Partial<Strategy> = {}): Flag {
  const strategy = { id: '', name: 'default', title: null, disabled: false, parameters: {}, constraints: [] };
  const strategies = [{ ...strategy, segments: [], variants: [], ...of }];
  const environments = [{ environment: 'production', enabled: true, strategies, variants: [] }];
  return { name, project: 'default', environments };
}

function inNetwork(range: string): Strategy['constraints'][number] {
  return { contextName: 'ip', operator: 'IN_CIDR', values: [range] };
}

function clientOf({ url }: TestService): InstanceClient {
  return new InstanceClient({ role: 'an instance', url, token: ADMIN_TOKEN });
}

async function fill(service: TestService, features: Flag[]): Promise<void> {
  const { items } = await importHoldings({ ...noHoldings(), features }, serviceImporter(clientOf(service)), () => {});
  expect(items.filter(({ outcome }) => outcome !== 'created')).toEqual([]);
}

async function compared(of: Holdings) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const found = await verify(clientOf(source), clientOf(target), of, { progress: () => {}, say });
  return { found, lines };
}

it('compares an environment with one token and another with a hundred, and reports every difference', async () => {
  const { found, lines } = await compared(holdings);
  // One list for each environment. The other tokens are only checked for acceptance.
  expect(found).toMatchObject({
    lists: 2,
    acceptedTokens: 99,
    uncheckedTokens: 0,
    uncompared: [],
    environmentsWithoutToken: ['staging'],
  });
  expect(lines.join('\n')).toContain('in-network is "on" in the source and "off" in the target');
  for (const name of ['in-new-network', 'of-machines', ...ONLY_THERE])
    expect(
      lines.filter((line) => line.includes(`(production): ${name} is "on" in the source and "off" in the target`)),
    ).toHaveLength(1);
  expect(found.differences).toBe(ONLY_THERE.length + 3 + 2);
  // A flag that is off on one side and missing on the other evaluates the same: only its definition differs.
  expect(lines).toHaveLength(found.differences + found.sameAnswersOnly);
  expect(lines.join('\n')).not.toContain(': same is');
  expect(lines.join('\n')).not.toContain(PRODUCTION);
});

it('reports each token that is not accepted here, frontend tokens and client tokens', async () => {
  const { lines } = await compared(holdings);
  const closed = lines.filter((line) => line.includes('the source accepts it, but the target does not'));
  expect(closed).toHaveLength(2);
  expect(closed.filter((line) => line.includes('frontend token'))).toHaveLength(1);
  expect(lines.join('\n')).not.toContain(FRONTEND_TOKEN);
});

it('finds a token that sees less here than the other tokens of its reach', async () => {
  const second = token('second-of-production', { tokenName: 'second', environment: 'production' });
  for (const [service, environment] of [
    [source, 'production'],
    [target, 'development'],
  ] as const) {
    const apiTokens = [{ ...second, environment }];
    const { items } = await importHoldings(
      { ...noHoldings(), apiTokens },
      serviceImporter(clientOf(service)),
      () => {},
    );
    expect(items.map(({ outcome }) => outcome)).toEqual(['created']);
  }
  const apiTokens = [...holdings.apiTokens.filter(({ secret }) => secret === PRODUCTION), second];
  const { found, lines } = await compared({ ...holdings, apiTokens });
  expect(found).toMatchObject({ lists: 2, acceptedTokens: 0, uncheckedTokens: 0 });
  expect(lines.filter((line) => line.includes(': same is "on" in the source and "off" in the target'))).toEqual([
    expect.stringMatching(/^ {2}token second \(production\): /),
  ]);
});

it('reports what it did not compare, and the number of tokens that it did not try', async () => {
  const [production] = holdings.apiTokens.filter(({ secret }) => secret === PRODUCTION);
  const strangers = Array.from({ length: 150 }, (_, index) => ({
    ...token(`project-${index}:development.stranger-${index}`),
    projects: [`project-${index}`],
  }));
  const { found } = await compared({ ...holdings, apiTokens: [...strangers, production as Token] });
  expect(found).toMatchObject({ lists: 1, uncheckedTokens: 51, environmentsWithoutToken: ['staging'] });
  expect(found.uncompared).toHaveLength(150);
  const text = verificationText(found);
  expect(text).toContain('51 tokens were not tried');
  expect(text).toContain('development (project-149)');
  expect(text).toContain('Not compared, because there is no client token: staging.');
});

function token(secret: string, of: Partial<Token> = {}): Token {
  const plain = { tokenName: 'a', type: 'client', environment: 'development', projects: ['*'] } as const;
  return { ...plain, projects: [...plain.projects], secret, expiresAt: null, alias: null, ...of };
}

it('alternates between environments, the widest reach first, and groups tokens that see the same projects', () => {
  const scopes = tokenScopesOf([
    token('a', { projects: ['one'] }),
    token('b', { projects: ['two', 'one'] }),
    token('c', { projects: ['one', 'two', 'two'] }),
    token('d'),
    token('e', { projects: ['*', 'one'] }),
    token('f', { type: 'frontend' }),
    token('g', { environment: 'production', projects: ['one'] }),
  ]);
  expect(scopes.map(({ environment, tokens }) => [environment, tokens.map(({ secret }) => secret).join('')])).toEqual([
    ['development', 'de'],
    ['production', 'g'],
    ['development', 'bc'],
    ['development', 'a'],
  ]);
});

it.each([
  ['10.1.2.3/16', ['10.1.0.0', '10.1.255.255', '10.0.255.255', '10.2.0.0']],
  ['10.0.0.1', ['10.0.0.1', '10.0.0.0', '10.0.0.2']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255']],
  ['::1/127', ['0:0:0:0:0:0:0:0', '0:0:0:0:0:0:0:1', '0:0:0:0:0:0:0:2']],
  [
    '2001:db8::/32',
    [
      '2001:db8:0:0:0:0:0:0',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9:0:0:0:0:0:0',
    ],
  ],
  ['10.0.0.0/33', ['10.0.0.0/33']],
  ['nowhere', ['nowhere']],
])('addresses inside and next to %s', (range, addresses) => {
  expect(addressesAround(range)).toEqual(addresses);
});
