import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../base/options.ts';
import { FileSpace } from '../../stores/local/disk-space.ts';
import { ProgramError } from '../program/subcommand.ts';
import { checkStoreOwner } from '../server/store-owner.ts';
import { openSource } from './source.ts';
import { transfer } from './transfer.ts';

/** How many times larger than its backup a store may be: its pages are half full at worst. */
const STORE_SIZE_MAX = 3;

/** What a service that starts with a backup would have. */
export interface Rehearsal {
  readonly revision: number;
  /** Numbers of entities, by their names in the plural. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Restores a backup into a temporary directory, opens the store there and loads its state as a start does. The directory is removed. No port is
 * opened, and nothing is sent.
 * @throws ProgramError, StoreError with a message for people, if a service would not start with the backup; NoSpaceError, or an error of the file
 * system, if it could not be tried
 */
export async function rehearseRestore(path: string): Promise<Rehearsal> {
  const { size } = await stat(path);
  new FileSpace(tmpdir()).require(STORE_SIZE_MAX * size);
  const directory = await mkdtemp(join(tmpdir(), 'burgee-rehearsal-'));
  const restored = { kind: 'lmdb', directory: join(directory, 'data') } as const;
  try {
    const copied = await transfer({ kind: 'file', path }, restored, { keyPrefix: '', renew: false, warn: () => {} });
    const source = await openSource(restored, '');
    try {
      checkOwner(path, source.state);
      const { state } = source;
      const counts = {
        flags: state.size('features'),
        projects: state.size('projects'),
        environments: state.size('environments'),
        segments: state.size('segments'),
        users: state.size('users'),
        'API tokens': state.size('apiTokens'),
        'audit events': copied.to.eventCount,
      };
      return { revision: state.seq, counts };
    } finally {
      await source.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function checkOwner(path: string, state: Parameters<typeof checkStoreOwner>[0]): void {
  try {
    checkStoreOwner(state, false);
  } catch (error) {
    if (error instanceof ConfigError) throw new ProgramError(`${path}: ${error.message}`);
    throw error;
  }
}
