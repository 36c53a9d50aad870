import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Absence, installGo, removeInstalled } from '../../sdks/toolchains.ts';
import { accepted } from '../../support/admin.ts';
import type { TestService } from '../../support/service.ts';
import { migrateFiles, savedIn, startTarget, TARGET_ADMIN } from './run-migrate.ts';

const PATIENCE_MS = 600_000;
const SOURCE = fileURLToPath(new URL('flagd', import.meta.url));

let directory: string;
let target: TestService;
let installed: Awaited<ReturnType<typeof installGo>>;

beforeAll(async () => {
  installed = await installGo(SOURCE);
  directory = await mkdtemp(join(tmpdir(), 'burgee-flagd-'));
  target = await startTarget();
}, PATIENCE_MS);

afterAll(async () => {
  await target.close();
  await rm(directory, { recursive: true, force: true });
  removeInstalled();
});

const OPERATORS = ['=', '!=', '<', '<=', '>', '>='];
const RULE_VERSIONS = ['2.0.0', 'v1.10.3', 'V1.0.1', '2', '2.1', 2, 2.1, '0.0.0', '0.0.1', '10.0.9', '19.90.5+build'];
const NUMBERS = ['0', '1', '2', '3', '9', '10', '11', '18', '19', '20', '90', '100'];
const CORES = NUMBERS.flatMap((major) => [
  major,
  `${major}.0`,
  `${major}.1`,
  `${major}.90`,
  `${major}.0.0`,
  `${major}.0.1`,
  `${major}.0.9`,
  `${major}.0.10`,
  `${major}.1.0`,
  `${major}.10.2`,
  `${major}.10.3`,
  `${major}.10.4`,
  `${major}.89.9`,
  `${major}.90.4`,
  `${major}.90.5`,
]);
const VERSIONS = [
  ...CORES.flatMap((core) => [core, `v${core}`]),
  'V2.0.0',
  '2.0.0-beta',
  'v2.0.0-beta.1',
  '2.0.0+build',
  'v1.10.3-rc.1+b.2',
  '1.10.3-0',
  '0.0.0-alpha',
  '10.0.9-x.7.z',
  '2.0.0-01',
  '2.0.0-',
  '2.0.0+',
  '02.0.0',
  '2.00',
  '2.',
  '.2',
  '2.0.0.0',
  '2.0-beta',
  'vV2',
  'vv2',
  '',
  'two',
  '-1',
  '1e3',
  '99999999999999999999.0.0',
  'v99999999999999999999',
  2,
  2.1,
  2.25,
  10,
  19.9,
  0,
  -1,
  1e21,
  true,
  false,
];

const flag = (targeting: unknown, defaultVariant: string) => ({
  state: 'ENABLED',
  variants: { true: true, false: false },
  defaultVariant,
  targeting,
});
const version = { var: 'version' };

function flagsOfVersions(): Record<string, object> {
  const flags: Record<string, object> = {};
  for (const [at, value] of RULE_VERSIONS.entries()) {
    for (const [number, operator] of OPERATORS.entries()) {
      const rule = { sem_ver: [version, operator, value] };
      flags[`alone-${at}-${number}`] = flag(rule, 'true');
      flags[`alone-false-${at}-${number}`] = flag(rule, 'false');
      flags[`within-${at}-${number}`] = flag({ if: [rule, 'true', 'false'] }, 'true');
      flags[`not-${at}-${number}`] = flag({ '!': [rule] }, 'true');
      flags[`result-${at}-${number}`] = flag({ if: [{ '==': [{ var: 'x' }, 'y'] }, 'false', rule] }, 'true');
    }
  }
  for (const operator of ['starts_with', 'ends_with']) {
    flags[operator] = flag({ [operator]: [version, '2'] }, 'true');
    flags[`${operator}-not`] = flag({ '!': { [operator]: [version, '2'] } }, 'true');
  }
  return flags;
}

/** What flagd answers: for each flag, the variants of the contexts. */
function askedFlagd(command: string, question: object): Promise<Record<string, string[]>> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, { maxBuffer: 2 ** 28 }, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout)),
    );
    child.stdin?.end(JSON.stringify(question));
  });
}

it(
  'versions and failing operators of flagd evaluate here as flagd evaluates them',
  async (context) => {
    if (installed instanceof Absence) return context.skip(installed.reason);
    const file = { flags: flagsOfVersions() };
    const contexts = [{}, ...VERSIONS.map((value) => ({ version: value }))];
    const expected = await askedFlagd(installed.command, { file, contexts });
    const path = await savedIn(directory, 'versions.flagd.json', file);
    const { code, said } = await migrateFiles(target.url, '--file', path, '--environment', 'development');
    expect(code, said).toBe(0);
    const body = { tokenName: 'page', type: 'frontend', environment: 'development', projects: ['*'] };
    const { secret } = (await accepted(target, 'createApiToken', { body, token: TARGET_ADMIN })).body;
    const differences: string[] = [];
    let compared = 0;
    for (const [at, asked] of contexts.entries()) {
      const answer = await fetch(`${target.url}/ofrep/v1/evaluate/flags`, {
        method: 'POST',
        headers: { authorization: secret, 'content-type': 'application/json' },
        body: JSON.stringify({ context: { targetingKey: 'u', ...asked } }),
      });
      const { flags } = (await answer.json()) as { flags: { key: string; value: unknown }[] };
      for (const { key, value } of flags) {
        compared++;
        // In Burgee, all values of contexts are texts: operators for texts do not fail for other values.
        if (/^(starts|ends)_with/.test(key) && at > 0 && typeof VERSIONS[at - 1] !== 'string') continue;
        if (String(value) !== expected[key]?.[at]) differences.push(`${key} ${JSON.stringify(asked)}: ${value}`);
      }
    }
    expect(differences.slice(0, 20)).toEqual([]);
    expect(compared).toBe(Object.keys(file.flags).length * contexts.length);
  },
  PATIENCE_MS,
);
