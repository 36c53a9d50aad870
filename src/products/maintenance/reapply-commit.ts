import { conflict } from '../../base/rejection.ts';
import type { CommandContext, Decidable } from '../../engine/command.ts';
import { ALL, type ApiToken } from '../../model/api-token.ts';
import type { Feature } from '../../model/feature.ts';
import { reappliedMark } from '../../model/reapplied-mark.ts';
import type { Segment } from '../../model/segment.ts';
import { isHashed } from '../../model/token-secret.ts';
import { type CollectionName, collectionOf, type Entity, type IndexName } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import type { Draft } from '../../state/draft.ts';
import { hashesSecrets } from '../../state/dropped-secrets.ts';
import { mayBeShown, nameOf, withoutChangeTime } from './change-text.ts';
import { canonical } from './digest.ts';
import type { DivergentChange, DivergentCommit } from './divergent-file.ts';

/** The indexes of references between entities, each with the collection of the referenced entities. */
const REFERENCES: Readonly<Partial<Record<IndexName, CollectionName>>> = {
  featuresByProject: 'projects',
  featuresBySegment: 'segments',
  featuresByParent: 'features',
  featuresByTagType: 'tagTypes',
  featuresByCustomStrategy: 'strategyTypes',
  segmentsByProject: 'projects',
  tokensByProject: 'projects',
  tokensByEnvironment: 'environments',
  projectsByEnvironment: 'environments',
  rolesByProject: 'projects',
  rolesByEnvironment: 'environments',
  defaultStrategiesBySegment: 'segments',
  defaultStrategiesByType: 'strategyTypes',
};

interface ReapplyInput {
  /** The epoch of the history that contained the commit. */
  readonly epoch: string;
  readonly commit: DivergentCommit;
}

/**
 * Applies a divergent commit again, completely or not at all. Returns "already" if it was applied again before. A commit fits if
 * - each entity that the commit changed is now equal to the entity before the commit;
 * - every entity to which the commit adds a reference exists;
 * - no entity refers to an entity that the commit removes;
 * - no name would be used twice.
 * The new commit has the author of the divergent commit. The audit events record that the change was applied again.
 */
export const reapplyCommit: Decidable<ReapplyInput, 'applied' | 'already'> = {
  decide({ draft, emit, now }, { epoch, commit }) {
    const { changes, writeId } = commit;
    const id = reappliedMark(writeId);
    if (draft.get('surplusMarks', id)) return 'already';
    const changeProblem = firstProblem(changes, (change) => problemBefore(draft, change));
    if (changeProblem) return conflict(changeProblem);
    draft.absorb(
      changes.map(({ collection, key, after }) => ({ collection, key, entity: after ?? undefined }) as Change),
    );
    const referenceProblem = firstProblem(changes, (change) => problemAfter(draft, change));
    if (referenceProblem) return conflict(referenceProblem);
    draft.put('surplusMarks', { id, at: now });
    for (const change of changes) emitEvent(emit, change, epoch, commit);
    return 'applied';
  },
};

/** Whether a commit changed only the times at which tokens were last used. Such a commit is not applied again. */
export function isTokenUse({ changes }: DivergentCommit): boolean {
  return changes.every(({ collection, before, after }) => {
    if (collection !== 'apiTokens' || !before || !after) return false;
    return canonical({ ...before, seenAt: null }) === canonical({ ...after, seenAt: null });
  });
}

function firstProblem(changes: readonly DivergentChange[], problemOf: (change: DivergentChange) => string | null) {
  for (const change of changes) {
    const problem = problemOf(change);
    if (problem) return `${nameOf(change)} ${problem}`;
  }
  return null;
}

/**
 * The reason why a change cannot be applied to the draft, as text for users; null if it can. Changes of users, permissions, sessions and personal
 * tokens are always refused: current admins must decide about permissions, and users can create sessions and tokens again.
 */
function problemBefore(draft: Draft, { collection, key, before, after }: DivergentChange): string | null {
  const isToken = collection === 'apiTokens';
  if (!mayBeShown(collection) && !isToken)
    return 'is not applied again: an admin must decide about users and permissions';
  const current = draft.get(collection, key) ?? null;
  if (canonical(withoutChangeTime(current)) !== canonical(withoutChangeTime(before))) {
    if (!current) return 'no longer exists';
    return before ? 'was changed since' : 'exists already';
  }
  const isUnhashedToken = isToken && after && !isHashed((after as ApiToken).secret);
  return isUnhashedToken && hashesSecrets(draft)
    ? 'has a secret as text, but this store now keeps only hashes of secrets'
    : null;
}

/** The reason why a change does not fit into the draft after all changes of the commit were applied to it, as text for users; null if it fits. */
function problemAfter(draft: Draft, { collection, key, before, after }: DivergentChange): string | null {
  if (!after) {
    const indexes = Object.entries(REFERENCES).filter(([, target]) => target === collection);
    return indexes.some(([index]) => draft.count(index as IndexName, key) > 0) ? 'is in use now' : null;
  }
  const known = new Set(before ? [...referencesOf(collection, before)].map(String) : []);
  for (const [target, name] of referencesOf(collection, after)) {
    if (known.has(`${target},${name}`) || draft.get(target, name)) continue;
    return `needs ${JSON.stringify(name)} of ${target}, which does not exist`;
  }
  return isNameTaken(draft, collection, after) ? 'has a name that is in use now' : null;
}

function* referencesOf(collection: CollectionName, entity: Entity): Generator<readonly [CollectionName, string]> {
  const { indexes } = collectionOf(collection);
  for (const [index, keysOf] of Object.entries(indexes) as [IndexName, (entity: Entity) => readonly string[]][]) {
    const target = REFERENCES[index];
    for (const name of target ? keysOf(entity) : []) if (target && name !== ALL) yield [target, name];
  }
  if (collection !== 'features') return;
  for (const { environment } of (entity as Feature).environments) yield ['environments', environment];
}

function isNameTaken(draft: Draft, collection: CollectionName, entity: Entity): boolean {
  if (collection === 'segments') return draft.count('segmentsByName', (entity as Segment).name) > 1;
  if (collection !== 'apiTokens') return false;
  const { tokenName, type, environment } = entity as ApiToken;
  const sameName = [...draft.lookup('tokensByName', tokenName)];
  return sameName.filter((token) => token.type === type && token.environment === environment).length > 1;
}

function emitEvent(
  emit: CommandContext['emit'],
  change: DivergentChange,
  epoch: string,
  commit: DivergentCommit,
): void {
  const { collection, key, before, after } = change;
  if (collection === 'counters') return;
  const { project = collection === 'projects' ? key : null } = (after ?? before) as {
    readonly project?: string | null;
  };
  const data = { epoch, revision: commit.seq, committedAt: commit.at, collection };
  emit({
    type: 'history-reapplied',
    ...(project === null ? {} : { project }),
    ...(collection === 'features' ? { featureName: key } : {}),
    data: mayBeShown(collection) ? { ...data, key, entity: after } : { ...data, name: nameOf(change) },
    ...(mayBeShown(collection) && before ? { preData: before } : {}),
  });
}
