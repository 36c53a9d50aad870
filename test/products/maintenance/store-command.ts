import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCommand } from '../../../src/products/maintenance/store-commands.ts';
import { ProgramError } from '../../../src/products/program/subcommand.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';

/** What `npm run store` starts. */
const SCRIPT = fileURLToPath(new URL('../../../dist/src/products/maintenance/main.js', import.meta.url));

interface CommandResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToldHistory {
  readonly place: string;
  readonly revision: number;
  readonly flags: number;
  readonly eventCount: number;
  readonly state: string;
  readonly events: string;
}

/** Runs `burgee store …args` as a process. It is killed after `killAfterMs`, by default 30 s. */
export function runStore(args: readonly string[], killAfterMs?: number): Promise<CommandResult> {
  return resultOf([BUILT_PROGRAM, 'store', ...args], killAfterMs);
}

/** Runs `npm run store -- …args`, without npm. */
export function runStoreScript(args: readonly string[]): Promise<CommandResult> {
  return resultOf([SCRIPT, ...args]);
}

function resultOf(command: readonly string[], killAfterMs = 30_000): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs a command in this process, which must succeed. Returns the histories that it prints, in order. */
export async function tell(...args: string[]): Promise<ToldHistory[]> {
  const stdout = await runCommand(args, () => {});
  const pattern =
    /^(?:from|to|holds) (\S+)\n {2}revision (\d+), flags (\d+), audit events (\d+)\n {2}state {2}([0-9a-f]{64})\n {2}events ([0-9a-f]{64})\n/gm;
  return [...stdout.matchAll(pattern)].map(([, place = '', revision, flags, eventCount, state = '', events = '']) => ({
    place,
    revision: Number(revision),
    flags: Number(flags),
    eventCount: Number(eventCount),
    state,
    events,
  }));
}

/** Runs a command in this process. Expects that it fails, with a readable error of one line that matches. */
export async function expectRefusal(args: readonly string[], message: RegExp): Promise<void> {
  const error = await runCommand(args, () => {}).then(
    (stdout) => expect.fail(`it did not fail: ${stdout}`),
    (reason: unknown) => reason as Error,
  );
  expect(error instanceof ProgramError || error instanceof StoreError, error.stack).toBe(true);
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('\n');
}
