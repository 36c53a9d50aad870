import { randomUUID } from 'node:crypto';
import { otherFormat } from '../../state/stored-schema.ts';
import type { Branch, LogPosition } from '../lineage.ts';
import { UnusableDataError } from '../store.ts';
import { LOST_DATA_ADVICE, readMarker, writeMarker } from './data-file.ts';
import type { LmdbEnvironment, LmdbTables } from './lmdb-environment.ts';
import type { SnapshotPointer } from './snapshot-pieces.ts';

/**
 * Version of the layout of tables and keys. Raise it when another Burgee could misread them. Since 2, removed data is erased, and the key `residue`
 * exists while an erasure is still to be done.
 */
export const STORE_FORMAT = 2;

/** A key of `meta`: removed data may have left its bytes in the file. */
export const RESIDUE_KEY = 'residue';

/** A key of `meta`: the ancestors of the line, for a store that was filled from another one. A store that began empty does not have it. */
export const ANCESTORS_KEY = 'ancestors';

/** Records in the store that removed data may have to be erased. */
export function markResidue({ meta }: LmdbTables): void {
  meta.put(RESIDUE_KEY, Buffer.from('1'));
}

interface RecoveredStore {
  /** The line of the store, up to the end of the log. */
  readonly line: LogPosition;
  readonly firstSeq: number;
  readonly hasResidue: boolean;
  readonly snapshot: SnapshotPointer | null;
  /** The highest id that pieces were written under, current or abandoned. */
  readonly lastSnapshotId: number;
}

/**
 * Reads the position and the pointers of an opened environment. A new environment gets an epoch first.
 * @throws UnusableDataError when the store has another format, or when snapshot and log do not form a complete history.
 */
export async function recover(environment: LmdbEnvironment, directory: string): Promise<RecoveredStore> {
  const epoch = await identify(environment, directory);
  const tip = environment.readTip();
  if (tip === null) throw new UnusableDataError(`the log in ${directory} has no tip. ${LOST_DATA_ADVICE}`);
  const { meta, log, events, pieces } = environment.tables;
  const snapshot = readJson<SnapshotPointer>(meta.get('snapshot'), directory, 'its snapshot');
  const ancestors = readJson<Branch[]>(meta.get(ANCESTORS_KEY), directory, 'its ancestors') ?? [];
  const [oldest] = log.getKeys({ limit: 1 });
  const [newest] = log.getKeys({ limit: 1, reverse: true });
  const firstSeq = oldest ?? tip + 1;
  const coveredSeq = snapshot?.seq ?? 0;
  if ((newest ?? tip) !== tip || firstSeq > coveredSeq + 1 || coveredSeq > tip) {
    throw new UnusableDataError(
      `the log in ${directory} is damaged: it holds ${oldest}..${newest}, its tip is ${tip}, the snapshot covers ${coveredSeq}. ${LOST_DATA_ADVICE}`,
    );
  }
  const [oldestEvent = 1] = events.getKeys({ limit: 1 });
  if (!Number.isSafeInteger(oldestEvent) || oldestEvent < 1) {
    throw new UnusableDataError(
      `the audit events in ${directory} are damaged: they begin at ${oldestEvent}. ${LOST_DATA_ADVICE}`,
    );
  }
  const [lastPiece] = pieces.getKeys({ limit: 1, reverse: true });
  const lastSnapshotId = Math.max(snapshot?.id ?? 0, lastPiece?.[0] ?? 0);
  // A trim follows a snapshot immediately. If a process ended between the two, its trim may have been one that erases.
  const hasResidue = meta.get(RESIDUE_KEY) !== undefined || firstSeq <= coveredSeq;
  const line = { epoch, seq: tip, writeId: environment.readWriteId(), ancestors };
  return { line, firstSeq, hasResidue, snapshot, lastSnapshotId };
}

/** Returns null when the record does not exist. */
function readJson<T>(stored: Buffer | undefined, directory: string, what: string): T | null {
  if (!stored) return null;
  try {
    return JSON.parse(stored.toString('utf8')) as T;
  } catch {
    throw new UnusableDataError(`the store in ${directory} has a damaged record of ${what}. ${LOST_DATA_ADVICE}`);
  }
}

async function identify(environment: LmdbEnvironment, directory: string): Promise<string> {
  const { meta, log } = environment.tables;
  const marker = await readMarker(directory);
  const format = meta.get('format')?.toString('utf8');
  if (format === undefined) {
    if (marker || log.getKeysCount({ limit: 1 }) > 0) {
      throw new UnusableDataError(`the data file in ${directory} has lost its description. ${LOST_DATA_ADVICE}`);
    }
    return create(environment, directory);
  }
  if (format !== String(STORE_FORMAT))
    throw new UnusableDataError(otherFormat(`the store in ${directory}`, format, STORE_FORMAT));
  const epoch = meta.get('epoch')?.toString('utf8');
  if (!epoch) throw new UnusableDataError(`the data file in ${directory} has lost its epoch. ${LOST_DATA_ADVICE}`);
  // The marker is missing after a crash between the writes of store and marker. It belongs to another store after a backup was copied into the
  // directory.
  if (marker?.epoch !== epoch || marker.format !== STORE_FORMAT)
    await writeMarker(directory, { format: STORE_FORMAT, epoch });
  return epoch;
}

async function create(environment: LmdbEnvironment, directory: string): Promise<string> {
  const epoch = randomUUID();
  await environment.initialise(({ meta }) => {
    meta.put('format', Buffer.from(String(STORE_FORMAT)));
    meta.put('epoch', Buffer.from(epoch));
  });
  await writeMarker(directory, { format: STORE_FORMAT, epoch });
  return epoch;
}
