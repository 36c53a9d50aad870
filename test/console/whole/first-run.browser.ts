import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { expectAccessible } from '../support/axe.ts';
import { Keyboard } from '../support/keyboard.ts';
import { ADMIN, useWorld } from '../support/world.ts';

const world = useWorld();
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
/** A program of an app with an unmodified SDK; its folder also has the backup of the SDK. */
let folder: string;
let program: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'burgee-first-run-'));
  await symlink(MODULES, join(folder, 'node_modules'));
});
afterAll(async () => {
  if (program && program.exitCode === null && program.signalCode === null) {
    program.kill('SIGKILL');
    await once(program, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

/** Runs the code as a program of its own, and returns the first line that it prints. */
async function firstLineOf(code: string): Promise<string> {
  await writeFile(join(folder, 'app.mjs'), code);
  const child = spawn(process.execPath, ['app.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  program = child;
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`the program printed nothing: ${errors}`);
}

describe('journey 6K: the first run, by keyboard alone', () => {
  it('makes a flag, switches it on, and the pasted snippet of an SDK answers true', async () => {
    const guarded = await world.browser.open(world.service.url, '/', {});
    guarded.allow(401);
    await guarded.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = guarded;
    const keyboard = new Keyboard(page);
    await keyboard.fill(page.getByLabel('Username or email'), ADMIN.username);
    await keyboard.fill(page.getByLabel('Password'), ADMIN.password);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your first flag' }).waitFor();
    await expectAccessible(page, 'the first run');

    await keyboard.fill(page.getByRole('textbox', { name: 'Name' }), 'first-of-all');
    await keyboard.press('Enter');
    await keyboard.activate(page.getByRole('button', { name: 'Switch it on in development' }));
    await page.getByText('The flag is on in development.').waitFor();
    const params = { projectId: 'default', featureName: 'first-of-all', environment: 'development' };
    expect((await accepted(world.service, 'getFeatureEnvironment', { params })).body.enabled).toBe(true);

    await keyboard.activate(page.getByRole('button', { name: 'Create a token and show the code' }));
    await keyboard.activate(page.getByRole('button', { name: /^Copy Node\.js/ }));
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await expectAccessible(page, 'the code of the first run');
    const code = await page.evaluate<string>('navigator.clipboard.readText()');
    const { body } = await accepted(world.service, 'getAllApiTokens');
    const made = body.tokens.find(({ tokenName }: { tokenName: string }) => tokenName === 'first-backend');
    expect(made).toMatchObject({ environment: 'development', projects: ['default'] });
    expect(await firstLineOf(code)).toBe('true');
  });
});
