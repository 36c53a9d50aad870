import { invalid, type Rejection, unavailable } from '../base/rejection.ts';

/** A request that carries it is answered from that revision or a newer one. Revisions are what `burgee-revision` tells of a write. */
export const MIN_REVISION_HEADER = 'burgee-min-revision';

/** Where revisions come from; without one, no request carries any that could still be to come. */
export interface RevisionSource {
  /** The newest revision that can be read. */
  readonly current: number;
  /** Resolves with whether the revision can be read now; waits for it, bounded. */
  wait(revision: number): Promise<boolean>;
}

const NOT_A_REVISION = invalid(`The header ${MIN_REVISION_HEADER} must be a revision, as burgee-revision tells it.`);

/** What to wait for before the request may be served: nothing, if the header is empty or the revision is there. Costs a look-up then. */
export function awaitRevision(
  source: RevisionSource,
  header: string | undefined,
): Rejection | Promise<Rejection | undefined> | undefined {
  if (header === undefined || header === '') return undefined;
  if (!/^\d{1,15}$/.test(header)) return NOT_A_REVISION;
  const revision = Number(header);
  if (revision <= source.current) return undefined;
  return source.wait(revision).then((isThere) => {
    if (isThere) return undefined;
    return unavailable(`Revision ${revision} has not reached this replica; it stands at ${source.current}.`, 1);
  });
}
