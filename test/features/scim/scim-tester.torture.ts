import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Absence, installPython, removeInstalled } from '../../sdks/toolchains.ts';
import { allowScim } from '../../support/scim.ts';
import { SCIM_TOKEN, startTestService, type TestService } from '../../support/service.ts';

/** Checks of SCIM 2.0 that others wrote. */
const PACKAGE = 'scim2-tester[httpx2]==0.5.2';
const SCRIPT = fileURLToPath(new URL('run-tester.py', import.meta.url));
const PATIENCE_MS = 600_000;

/** Number of checks of this version for the attributes that Burgee has. Fewer means that the tester has not seen all of them. */
const CHECKS_MIN = 40;

interface Check {
  readonly status: 'SUCCESS' | 'COMPLIANT' | 'ACCEPTABLE' | 'DEVIATION' | 'ERROR' | 'CRITICAL' | 'SKIPPED';
  readonly title: string;
  readonly resource: string | null;
  readonly reason: string;
}

let service: TestService;
let installed: Awaited<ReturnType<typeof installPython>>;

beforeAll(async () => {
  installed = await installPython(SCRIPT, PACKAGE);
  service = await startTestService({ onDisk: true });
  await allowScim(service);
}, PATIENCE_MS);

afterAll(async () => {
  await service.close();
  removeInstalled();
});

it(
  'passes every check of a tester of the protocol',
  async (context) => {
    if (installed instanceof Absence) return context.skip(installed.reason);
    const { command, given } = installed;
    const { stdout } = await promisify(execFile)(command, [...given, `${service.url}/scim/v2`, SCIM_TOKEN]);
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Check);
    expect(checks.filter(({ status }) => !['SUCCESS', 'COMPLIANT', 'ACCEPTABLE'].includes(status))).toEqual([]);
    expect(checks.length).toBeGreaterThan(CHECKS_MIN);
    expect(new Set(checks.flatMap(({ resource }) => resource ?? []))).toEqual(new Set(['User', 'Group']));
  },
  PATIENCE_MS,
);
