import { isSameJson } from '../../../src/base/same-json.ts';
import type { Replica } from '../../../src/engine/replica.ts';
import type { Writer } from '../../../src/engine/writer.ts';
import { type Caller, systemCaller } from '../../../src/model/caller.ts';
import { collectionOf } from '../../../src/state/collections.ts';
import type { State } from '../../../src/state/state.ts';
import { isCommand, storageProblem } from '../stored-commands.ts';

/**
 * Makes a writer check every command that any test submits: its input, written as JSON and read again, must conform to its schema and lead to the same
 * decision. Inputs that are then the same lead to the same decision: only stored-commands.test.ts decides these, too. Returns the list to which problems
 * are added.
 */
export function checkStorage(writer: Writer, state: State): readonly string[] {
  const problems: string[] = [];
  const submit = writer.submit.bind(writer);
  writer.submit = async (command, input, by) => {
    if (isCommand(command)) {
      const caller = 'kind' in by ? (by as Caller) : undefined;
      const problem = await storageProblem(state, command, input, caller, { decidesAlike: false });
      if (problem !== undefined) problems.push(problem);
    }
    return submit(command, input, by);
  };
  return problems;
}

/**
 * Checks every commit that a request makes: what replaces an entity with a recorded past has an event, in which the replaced parts are stored. Tests that
 * prepare a state pass an author instead of a caller; their commits, and those of the service itself, need no event. Returns the list to which problems
 * are added.
 */
export function checkPast(writer: Writer, replica: Replica): readonly string[] {
  const problems: string[] = [];
  const preparing = new Set([systemCaller().author.name]);
  const submit = writer.submit.bind(writer);
  writer.submit = (command, input, by) => {
    if (!('kind' in by)) preparing.add(by.name);
    return submit(command, input, by);
  };
  replica.onApplied(({ commit, changes }) => {
    if (preparing.has(commit.by.name) || commit.events.count > 0) return;
    for (const { collection, key, before, after } of changes) {
      if (collectionOf(collection).past && !isSameJson(before, after)) {
        problems.push(`commit ${commit.seq} changes ${collection}/${key} without an event, so this change has no past`);
      }
    }
  });
  return problems;
}
