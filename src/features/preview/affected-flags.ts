import type { VisibleProjects } from '../../access/visibility.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import type { Feature } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { type FewFlags, fewFlags } from '../../views/flags/changed-snapshot.ts';
import { measureRules, type RuleMeasures } from '../flags/rule-measures.ts';
import { PREVIEW_LIMITS } from './limits.ts';

/** A flag that the changes can affect. */
export interface AffectedFlag {
  readonly name: string;
  readonly project: string;
  readonly reason: 'changed' | 'segment' | 'parent';
  /** Null if the flag does not exist. */
  readonly measures: { readonly before: RuleMeasures | null; readonly after: RuleMeasures | null };
  /** Why dependencies of the flag can never be satisfied after the changes. */
  readonly dependencyWarnings: readonly string[];
}

/** The flags that the changes can affect, before and after the changes. */
export interface AffectedFlags {
  readonly flags: readonly AffectedFlag[];
  readonly before: FewFlags;
  readonly after: FewFlags;
}

export interface Comparison {
  readonly before: StateReader;
  readonly after: Draft;
  readonly environment: string;
  readonly visible: VisibleProjects;
  /** Only these flags are compared; undefined for all. */
  readonly selected: ReadonlySet<string> | undefined;
  readonly bytes: HashEncoding;
}

/** The flags that the changes of the draft can affect and the caller may see, by name. A rejection if there are too many. */
export function* affectedFlags(comparison: Comparison): Steps<AffectedFlags | Rejection> {
  const { before, after, environment, bytes } = comparison;
  const reasons = yield* reasonsByName(comparison);
  if (reasons instanceof Rejection) return reasons;
  const names = [...reasons.keys()].sort();
  const flags: AffectedFlag[] = [];
  for (const name of names) {
    const [featureBefore, featureAfter] = [before.get('features', name), after.get('features', name)];
    flags.push({
      name,
      project: (featureAfter ?? featureBefore)?.project ?? '',
      reason: reasons.get(name) ?? 'changed',
      measures: {
        before: featureBefore ? yield* measureRules(featureBefore, environment, before) : null,
        after: featureAfter ? yield* measureRules(featureAfter, environment, after) : null,
      },
      dependencyWarnings: featureAfter ? dependencyWarnings(featureAfter, after) : [],
    });
    yield;
  }
  return {
    flags,
    before: yield* fewFlags(before, environment, names, bytes),
    after: yield* fewFlags(after, environment, names, bytes),
  };
}

/** Name → the first reason why the changes can affect the flag. */
function* reasonsByName(comparison: Comparison): Steps<Map<string, AffectedFlag['reason']> | Rejection> {
  const { before, after } = comparison;
  const reasons = new Map<string, AffectedFlag['reason']>();
  const note = (name: string, reason: AffectedFlag['reason']) => {
    if (!reasons.has(name) && isShown(comparison, name)) reasons.set(name, reason);
    return reasons.size <= PREVIEW_LIMITS.previewFlags.max;
  };
  const changed = yield* after.changesInSteps();
  /** The flags whose own results can change. The flags that depend on them may be visible even if these are not. */
  const parents = new Set<string>();
  for (const { collection, key } of changed) {
    if (collection !== 'features') continue;
    parents.add(key);
    if (!note(key, 'changed')) return TOO_MANY;
    yield;
  }
  for (const { collection, key } of changed) {
    if (collection !== 'segments') continue;
    for (const reader of [before, after]) {
      for (const { name } of reader.lookup('featuresBySegment', key)) {
        parents.add(name);
        if (!note(name, 'segment')) return TOO_MANY;
        yield;
      }
    }
  }
  // A flag whose parent has parents is always off. So only the children of these flags can be affected, not the children of the children.
  for (const parent of parents) {
    for (const reader of [before, after]) {
      for (const { name } of reader.lookup('featuresByParent', parent)) {
        if (!note(name, 'parent')) return TOO_MANY;
        yield;
      }
    }
    yield;
  }
  return reasons;
}

const TOO_MANY = invalid(
  `The changes can affect more than ${PREVIEW_LIMITS.previewFlags.max} flags. Name at most ${PREVIEW_LIMITS.previewFlags.max} of them in the field features.`,
  '/features',
);

function isShown({ before, after, visible, selected }: Comparison, name: string): boolean {
  if (selected && !selected.has(name)) return false;
  for (const feature of [before.get('features', name), after.get('features', name)]) {
    if (feature && !visible.has(feature.project)) return false;
  }
  return true;
}

function dependencyWarnings({ dependencies }: Feature, reader: StateReader): string[] {
  return dependencies.flatMap(({ feature: name }) => {
    const parent = reader.get('features', name);
    if (!parent) return [`the parent ${name} does not exist`];
    if (parent.archived) return [`the parent ${name} is archived`];
    return parent.dependencies.length > 0 ? [`the parent ${name} depends on other flags itself`] : [];
  });
}
