import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { environmentsIn, triedEnvironments } from '../../support/environments.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { burgee } from '../../support/programs/run-burgee.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'burgee-config-'));
const environmentOf = environmentsIn(FOLDER);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The process serves, or waits for Redis: its options are accepted. */
const STARTED = /burgee serves|the connection for hints of Redis was lost/;

/** Null if the process starts; otherwise its message. */
async function verdictOfStart(command: string, environment: Readonly<Record<string, string>>): Promise<string | null> {
  const serving = new BurgeeProcess(environment, [], command === 'serve' ? [] : [command]);
  const started = serving.logged(STARTED).then(
    () => null,
    () => serving.exited.then((code) => ({ code, text: serving.stderr })),
  );
  const ended = await started;
  await serving.stop();
  if (ended === null) return null;
  expect(ended.code).toBe(1);
  expect(ended.text).not.toContain('    at ');
  return /burgee cannot start: (.*)\n$/.exec(ended.text)?.[1] ?? ended.text;
}

async function verdictOfConfig(command: string, environment: Readonly<Record<string, string>>): Promise<string | null> {
  const { code, err } = await burgee(['config', '--for', command], environment);
  if (code === 0) return null;
  expect(code).toBe(1);
  return /burgee config: (.*)\n$/.exec(err)?.[1] ?? err;
}

it('burgee config judges 60 environments as a start in its own process does', async () => {
  const rows: string[] = [];
  const differences: unknown[] = [];
  const environments = triedEnvironments(FOLDER);
  for (const tried of environments) {
    const environment = environmentOf(tried);
    const config = await verdictOfConfig(tried.command, environment);
    const start = await verdictOfStart(tried.command, environment);
    const isAsExpected = tried.refusal === null ? start === null : tried.refusal.test(start ?? '');
    if (config !== start || !isAsExpected) differences.push({ name: tried.name, config, start });
    rows.push(`${tried.command.padEnd(8)}${tried.name.padEnd(52)}${start === null ? 'starts' : start.slice(0, 90)}`);
  }
  console.info(rows.join('\n'));
  expect(environments.length).toBeGreaterThanOrEqual(60);
  expect(differences).toEqual([]);
}, 600_000);
