import type { Steps } from '../../base/yield-control.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../model/strategy-type.ts';
import type { StateReader } from '../../state/collections.ts';
import { isArchivedIn } from './import-dependencies.ts';
import type { ImportInput } from './import-input.ts';
import { ImportProblems } from './import-problems.ts';
import { ExportResult, ImportData } from './schemas.ts';

/** Effects of an import that its sender may not expect, for the answer of a validation. What is left out is in the outcome of the import. */
export function* importWarnings(
  state: StateReader,
  { project, environment }: Pick<ImportInput, 'project' | 'environment'>,
  data: ImportData,
): Steps<ImportProblems> {
  const warnings = new ImportProblems();
  for (const { name } of data.features) {
    if (state.get('features', name) && !isArchivedIn(state, project, name))
      warnings.add(`These features exist; their configuration in ${environment} is replaced:`, name);
    yield;
  }
  const customStrategies = new Set<string>();
  for (const { name } of data.featureStrategies) {
    if (!BUILT_IN_STRATEGY_NAMES.has(name)) customStrategies.add(name);
    yield;
  }
  for (const name of customStrategies)
    warnings.add('These strategies are custom; only SDKs that have them can evaluate them:', name);
  for (const { name, project: origin } of data.features) {
    if (origin !== undefined && origin !== project)
      warnings.add(`These features are of other projects; they are imported into ${project}:`, `${name} (${origin})`);
    yield;
  }
  for (const part of yield* unknownParts(data))
    warnings.add('Burgee does not know these parts of the import and leaves them out:', part);
  return warnings;
}

/** List → the known members of its items: members that are imported, and members that every export contains but an import ignores. */
const KNOWN_PARTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.keys(ImportData.properties).map((list) => [
    list,
    new Set([...partsOf(ImportData.properties, list), ...partsOf(ExportResult.properties, list)]),
  ]),
);

function partsOf(lists: object, list: string): string[] {
  const schema = (lists as Record<string, { readonly items?: { readonly properties?: object } } | undefined>)[list];
  return Object.keys(schema?.items?.properties ?? {});
}

/** Members of an export that Burgee does not know, for example `featureStrategies[].milestone`. */
function* unknownParts(data: ImportData): Steps<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const [list, items] of Object.entries(data)) {
    const knownMembers = KNOWN_PARTS.get(list);
    if (!knownMembers) unknown.add(list);
    for (const item of knownMembers && Array.isArray(items) ? items : []) {
      for (const name in item)
        if (!knownMembers?.has(name) && unknown.size < UNKNOWN_MAX) unknown.add(`${list}[].${name}`);
      yield;
    }
  }
  return unknown;
}

/** Maximum number of unknown members that are reported. */
const UNKNOWN_MAX = 100;
