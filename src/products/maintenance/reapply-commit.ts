import { conflict, Rejection } from '../../base/rejection.ts';
import type { CommandContext, Decidable } from '../../engine/command.ts';
import { ALL, type ApiToken } from '../../model/api-token.ts';
import type { Feature } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { Segment } from '../../model/segment.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../model/strategy-type.ts';
import { reappliedMark } from '../../model/surplus-mark.ts';
import { isHashed } from '../../model/token-secret.ts';
import type { CollectionName, Entity, IndexName } from '../../state/collections.ts';
import type { Change } from '../../state/commit.ts';
import type { Draft } from '../../state/draft.ts';
import { hashesSecrets } from '../../state/dropped-secrets.ts';
import { canonical } from './digest.ts';
import type { SurplusChange, SurplusCommit } from './surplus-content.ts';
import { isOpen, nameOf } from './surplus-words.ts';

type Reference = readonly [CollectionName, string];

/**
 * What can be put back, with what each refers to. Not people and what lets them in: who may do what is decided now, by those who are here, and
 * sessions and personal tokens are made anew.
 */
const REFERENCES: Readonly<Partial<Record<CollectionName, (entity: never) => Iterable<Reference>>>> = {
  features: featureReferences,
  segments: ({ project }: Segment) => (project === null ? [] : [['projects', project]]),
  projects: ({ environments }: Project) => environments.map((name): Reference => ['environments', name]),
  apiTokens: tokenReferences,
  environments: () => [],
  contextFields: () => [],
  tagTypes: () => [],
  strategyTypes: () => [],
  counters: () => [],
};

/** By what others refer to an entity: none may be left when it goes. */
const REFERRERS: Readonly<Partial<Record<CollectionName, readonly IndexName[]>>> = {
  projects: ['featuresByProject', 'segmentsByProject', 'tokensByProject', 'rolesByProject'],
  environments: ['projectsByEnvironment', 'tokensByEnvironment', 'rolesByEnvironment'],
  segments: ['featuresBySegment'],
  features: ['featuresByParent'],
  tagTypes: ['featuresByTagType'],
  strategyTypes: ['featuresByCustomStrategy'],
};

interface ReapplyInput {
  /** Of the history that the commit was part of. */
  readonly epoch: string;
  readonly commit: SurplusCommit;
}

/**
 * Makes the changes of a commit that was given up again, all of them or none. They fit when
 * - the commit was not put back already;
 * - everything it changed is still as it was before that commit;
 * - all that it newly refers to is there, nothing refers to what it removes, and no name is given twice.
 * On behalf of whoever made it then: the audit events say so, and that it is done again.
 */
export const reapplyCommit: Decidable<ReapplyInput, 'applied' | 'already'> = {
  decide({ draft, emit, now }, { epoch, commit }) {
    const mark = reappliedMark(commit.writeId);
    if (draft.get('surplusMarks', mark)) return 'already';
    const { changes } = commit;
    const problem = changes.map((change) => obstacle(draft, change)).find((found) => found !== null);
    if (problem) return conflict(problem);
    draft.absorb(
      changes.map(({ collection, key, after }) => ({ collection, key, entity: after ?? undefined }) as Change),
    );
    const misfit = changes.map((change) => inconsistency(draft, change)).find((found) => found !== null);
    if (misfit) return conflict(misfit);
    draft.put('surplusMarks', { id: mark, at: now });
    for (const change of changes) tell(emit, change, epoch, commit);
    return 'applied';
  },
};

/** Whether a commit only noted when tokens were used: there is nothing in it that anybody would miss. */
export function isUse({ changes }: SurplusCommit): boolean {
  return changes.every(({ collection, before, after }) => {
    if (collection !== 'apiTokens' || !before || !after) return false;
    return canonical({ ...before, seenAt: null }) === canonical({ ...after, seenAt: null });
  });
}

function obstacle(draft: Draft, change: SurplusChange): string | null {
  const { collection, key, before, after } = change;
  if (!REFERENCES[collection]) return `${nameOf(change)} is not put back: who may do what is to be decided anew`;
  const now = draft.get(collection, key);
  if (canonical(now ?? null) !== canonical(before)) {
    if (!now) return `${nameOf(change)} is not there any more`;
    return before ? `${nameOf(change)} was changed since` : `${nameOf(change)} is there already`;
  }
  const isPlain = collection === 'apiTokens' && after && !isHashed((after as ApiToken).secret);
  return isPlain && hashesSecrets(draft) ? `${nameOf(change)} is plain text, and only hashes are kept now` : null;
}

/** Asked when the changes are made. */
function inconsistency(draft: Draft, change: SurplusChange): string | null {
  const { collection, key, before, after } = change;
  if (!after) {
    const isReferred = REFERRERS[collection]?.some((index) => draft.count(index, key) > 0);
    return isReferred ? `${nameOf(change)} is in use now` : null;
  }
  const known = new Set(before ? referencesOf(collection, before) : []);
  for (const reference of referencesOf(collection, after)) {
    if (known.has(reference)) continue;
    const [target, name] = JSON.parse(reference) as Reference;
    if (!draft.get(target, name))
      return `${nameOf(change)} needs ${JSON.stringify(name)} of ${target}, which is not there`;
  }
  return isNameTaken(draft, collection, after) ? `another one is called as ${nameOf(change)}` : null;
}

function isNameTaken(draft: Draft, collection: CollectionName, entity: Entity): boolean {
  if (collection === 'segments') return draft.count('segmentsByName', (entity as Segment).name) > 1;
  if (collection !== 'apiTokens') return false;
  const { tokenName, type, environment } = entity as ApiToken;
  const alike = [...draft.lookup('tokensByName', tokenName)];
  return alike.filter((token) => token.type === type && token.environment === environment).length > 1;
}

function referencesOf(collection: CollectionName, entity: Entity): string[] {
  const references = REFERENCES[collection] as ((entity: Entity) => Iterable<Reference>) | undefined;
  return [...(references?.(entity) ?? [])].map((reference) => JSON.stringify(reference));
}

function* featureReferences(feature: Feature): Generator<Reference, void, void> {
  yield ['projects', feature.project];
  for (const { type } of feature.tags) yield ['tagTypes', type];
  for (const parent of feature.dependencies) yield ['features', parent.feature];
  for (const { environment, strategies } of feature.environments) {
    yield ['environments', environment];
    for (const { name, segments } of strategies) {
      if (!BUILT_IN_STRATEGY_NAMES.has(name)) yield ['strategyTypes', name];
      for (const id of segments) yield ['segments', String(id)];
    }
  }
}

function* tokenReferences({ environment, projects }: ApiToken): Generator<Reference, void, void> {
  if (environment !== ALL) yield ['environments', environment];
  for (const project of projects) if (project !== ALL) yield ['projects', project];
}

function tell(emit: CommandContext['emit'], change: SurplusChange, epoch: string, { seq, at }: SurplusCommit): void {
  const { collection, key, before, after } = change;
  if (collection === 'counters') return;
  const { project } = (after ?? before) as { readonly project?: unknown };
  const again = { epoch, revision: seq, committedAt: at, collection };
  emit({
    type: 'history-reapplied',
    ...(collection === 'projects' ? { project: key } : typeof project === 'string' ? { project } : {}),
    ...(collection === 'features' ? { featureName: key } : {}),
    data: isOpen(collection) ? { ...again, key, entity: after } : { ...again, name: nameOf(change) },
    ...(isOpen(collection) && before ? { preData: before } : {}),
  });
}

/** Why the commit does not fit, when it is that. */
export function misfitOf(outcome: unknown): string | null {
  return outcome instanceof Rejection && outcome.name === 'NameExistsError' ? outcome.message : null;
}
