import type { Writer } from '../../src/engine/writer.ts';
import type { Caller } from '../../src/model/caller.ts';
import type { State } from '../../src/state/state.ts';
import { isCommand, storageProblem } from './stored-commands.ts';

/**
 * Makes a writer check every command that any test submits: its input, written as JSON and read again, must conform to its schema and lead to the same
 * decision. Returns the list to which problems are added.
 */
export function checkStorage(writer: Writer, state: State): readonly string[] {
  const problems: string[] = [];
  const submit = writer.submit.bind(writer);
  writer.submit = async (command, input, by) => {
    if (isCommand(command)) {
      const caller = 'kind' in by ? (by as Caller) : undefined;
      const problem = await storageProblem(state, command, input, caller);
      if (problem !== undefined) problems.push(problem);
    }
    return submit(command, input, by);
  };
  return problems;
}
