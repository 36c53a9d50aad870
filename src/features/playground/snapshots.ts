import Type from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { Caller, Scope } from '../../model/caller.ts';
import type { StateReader } from '../../state/collections.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { At } from '../past/moment.ts';
import { hideAsNow, type PastFlags, readingPast, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { snapshotsAfter, snapshotsOfDraft, type TriedChanges } from './tried-changes.ts';

/** What both playgrounds say about the flags that they evaluate. */
export const SNAPSHOT_STATEMENT = {
  description:
    'With `changes`, flags are evaluated as if these changes had been made. Each change needs the permission that it needs to be saved, and what would ' +
    'be refused then is refused here; a protected environment is no obstacle. `undo` tries an undo in the same way. The changes and the quota are those ' +
    'of `POST /api/admin/preview`. With `at`, flags are evaluated as they were then, with their segments and parents; not together with changes.',
  query: Type.Object({ at: Type.Optional(At) }),
  errors: [400, 404, 409, 413, 429],
};

/** The flags that a request evaluates. */
interface Requested {
  readonly snapshots: readonly FlagSnapshot[];
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Who asks, and waits for the answer. */
interface SnapshotSender {
  readonly caller: Caller;
  readonly asker: Asker;
}

interface SnapshotRequest extends TriedChanges {
  readonly at: string | undefined;
  readonly projects?: '*' | readonly string[];
}

type ScopesOf = (reader: StateReader) => readonly Scope[] | Rejection;

/** The flags of the scopes: as they are, as they would be after the changes of the request, or as they were at its moment. */
export function requestedSnapshots(
  services: Services,
  sender: SnapshotSender,
  request: SnapshotRequest,
  scopesOf: ScopesOf,
): Promise<Requested | Rejection> | Requested | Rejection {
  if (request.at !== undefined) return snapshotsAt(services, sender, { ...request, at: request.at }, scopesOf);
  const scopes = scopesOf(services.state);
  if (scopes instanceof Rejection) return scopes;
  const snapshots = snapshotsAfter(services, sender, request, { scopes, scopesOf });
  return snapshots instanceof Promise ? snapshots.then(requested) : requested(snapshots);
}

function requested(snapshots: readonly FlagSnapshot[] | Rejection): Requested | Rejection {
  return snapshots instanceof Rejection ? snapshots : { snapshots, headers: {} };
}

async function snapshotsAt(
  services: Services,
  { asker }: SnapshotSender,
  { at, projects = '*', changes, changeRequest, undo }: SnapshotRequest & { readonly at: string },
  scopesOf: ScopesOf,
): Promise<Requested | Rejection> {
  if (changes !== undefined || changeRequest !== undefined || undo !== undefined)
    return invalid('Changes can be tried only on the flags as they are now, not with `at`.', '/at');
  const { flagViews } = services;
  const [project, ...others] = projects === '*' ? [] : projects;
  // Parents are in the project of their children.
  const flags: PastFlags = project !== undefined && others.length === 0 ? { project } : 'all';
  const past = { at, path: '/at', flags, asker };
  const read = () =>
    readPast<Requested | Rejection>(services, past, async ({ reader, revision, now }) => {
      hideAsNow(reader, now);
      const scopes = scopesOf(reader);
      if (scopes instanceof Rejection) return scopes;
      const current = await flagViews.snapshotsOf(scopes);
      // The flags as they were when the reading began; undefined: a commit has changed them meanwhile.
      if (current.some(({ seq }) => seq !== now.seq)) return undefined;
      const snapshots = await inSlices(snapshotsOfDraft(services, reader, scopes, current), Slicer.of(asker));
      return { snapshots, headers: { 'burgee-at-revision': String(revision) } };
    });
  return readingPast(services, asker, read);
}
