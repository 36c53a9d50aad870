import type { VisibleProjects } from '../../access/visibility.ts';
import { byText, sortedInSteps } from '../../base/lists/sorted.ts';
import type { Steps } from '../../base/yield-control.ts';
import { listPieces } from '../../http/answer.ts';
import type { StateReader } from '../../state/collections.ts';
import type { CodeReference, CodeRepository } from './code-reference.ts';

/** Items that are looked at in one step. */
const STEP_ITEMS = 256;

function presentRepository({ name, commit, branch, link, reportedAt, reportedBy }: CodeRepository) {
  return { name, commit, branch, link, reportedAt, reportedBy };
}

function repositoriesInOrder(reader: StateReader): CodeRepository[] {
  return [...reader.values('codeRepositories')].sort((left, right) => byText(left.name, right.name));
}

/** The answer to a report. It is the same whether or not flags have these names. */
export function presentReport(
  repository: CodeRepository,
  references: readonly { readonly places: readonly object[] }[],
) {
  const places = references.reduce((sum, reference) => sum + reference.places.length, 0);
  return { ...presentRepository(repository), names: references.length, references: places };
}

/** The repositories with the numbers of what the caller may see. Undefined items are pauses. */
export function* presentedRepositories(reader: StateReader, visible: VisibleProjects) {
  for (const repository of repositoriesInOrder(reader)) {
    const counts = { flags: 0, references: 0, unknownFlags: 0 };
    let looked = 0;
    for (const { flagName, places } of [...reader.lookup('codeReferencesByRepository', repository.name)]) {
      if (++looked % STEP_ITEMS === 0) yield undefined;
      const flag = reader.get('features', flagName);
      if (!flag) counts.unknownFlags++;
      else if (visible.has(flag.project)) {
        counts.flags++;
        counts.references += places.length;
      }
    }
    yield {
      ...presentRepository(repository),
      ...counts,
      // With this number, a caller could find out whether a name in the code is that of a hidden flag.
      unknownFlags: visible.isAll ? counts.unknownFlags : null,
    };
  }
}

/** The repositories whose code uses the flag, with the places. Sorting a thousand names needs no pause. */
export function* referencesOf(reader: StateReader, flagName: string) {
  const found = [...reader.lookup('codeReferencesByFlag', flagName)];
  for (const { repository, places } of found.sort((left, right) => byText(left.repository, right.repository))) {
    const stored = reader.get('codeRepositories', repository);
    // The repository was deleted during a pause of the answer.
    yield stored && { ...presentRepository(stored), places };
  }
}

/** The JSON of a repository with its places, in pieces: a thousand places with long paths have half a megabyte. */
export function placesPieces({
  places,
  ...repository
}: Readonly<Record<string, unknown>> & Pick<CodeReference, 'places'>): Iterable<string> {
  return listPieces(repository, [['places', places, (place: object) => [JSON.stringify(place)]]]);
}

/** Flags that are not archived and that no repository uses. Undefined items are pauses. */
export function* unusedFlags(reader: StateReader, visible: VisibleProjects, project: string | undefined) {
  let looked = 0;
  const flags = project === undefined ? reader.values('features') : reader.lookup('featuresByProject', project);
  for (const { name, project: id, archived } of flags) {
    if (++looked % STEP_ITEMS === 0) yield undefined;
    if (archived || reader.count('codeReferencesByFlag', name) > 0 || !visible.has(id)) continue;
    yield { name, project: id };
  }
}

/** The names in code that no flag has, sorted, each with its references. */
export function* unknownNames(reader: StateReader): Steps<(readonly [name: string, uses: readonly CodeReference[]])[]> {
  const uses = new Map<string, CodeReference[]>();
  for (const { name } of repositoriesInOrder(reader)) {
    for (const reference of [...reader.lookup('codeReferencesByRepository', name)]) {
      yield;
      if (reader.get('features', reference.flagName)) continue;
      const known = uses.get(reference.flagName);
      if (known) known.push(reference);
      else uses.set(reference.flagName, [reference]);
    }
  }
  return yield* sortedInSteps(uses, ([left], [right]) => byText(left, right));
}

export function presentUnknown([name, uses]: readonly [name: string, uses: readonly CodeReference[]]) {
  return {
    name,
    repositories: uses.map(({ repository, places }) => ({ repository, references: places.length, first: places[0] })),
  };
}
