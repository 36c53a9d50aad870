import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { until } from '../../support/until.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
/** Runs the command on a new terminal, and ends with it. */
const ON_TERMINAL =
  process.platform === 'darwin' ? ['script', '-q', '/dev/null'] : ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'];

describe('the first start on a terminal', () => {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-terminal-'));
  let burgee: BurgeeProcess;
  let shown: string;

  beforeAll(async () => {
    const port = String(await freePort());
    const environment = {
      HTTP_PORT: port,
      DATA_DIR: join(directory, 'data'),
      DATABASE_URL: 'postgres://u:p@db/unleash',
    };
    burgee = new BurgeeProcess(environment, ON_TERMINAL);
    await until(
      async () => burgee.stdout.includes('burgee serves'),
      (isServing) => isServing || burgee.process.exitCode !== null,
    );
    shown = burgee.stdout.replaceAll('\r\n', '\n');
  });
  afterAll(async () => {
    await burgee.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('logs plain lines around the tokens, and warns that it does not use PostgreSQL', () => {
    expect(shown).not.toContain('{"level"');
    expect(shown).toMatch(/^\d{4}-\d\d-\d\dT\S+ INFO {2}burgee serves port=\d+ /m);
    expect(shown).toMatch(/ WARN {2}DATABASE_URL has no effect here\. Burgee uses no PostgreSQL/);
    expect(shown).not.toContain('postgres://');
  });

  it('shows a curl command and a module that work when they are pasted', () => {
    const [curl = ''] = /^curl .*$/m.exec(shown) ?? [];
    expect(spawnSync('sh', ['-c', curl], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"hello"'),
    });
    const [, module = ''] = /ending in \.mjs\):\n\n([\s\S]*?)\n\n/.exec(shown) ?? [];
    writeFileSync(join(directory, 'hello.mjs'), `${module}\nunleash.on('synchronized', () => process.exit());\n`);
    symlinkSync(MODULES, join(directory, 'node_modules'));
    const { stdout, stderr } = spawnSync(process.execPath, ['hello.mjs'], { cwd: directory, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['hello is on\n', '']);
  });
});
