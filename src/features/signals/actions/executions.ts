import type { StateReader } from '../../../state/collections.ts';
import type { ActionRun } from './action-set.ts';

/** An execution in short, as the list of signals has it. */
export interface SignalExecution extends Pick<ActionRun, 'id' | 'actionSetId' | 'project' | 'state'> {
  readonly actionSetName: string;
}

/**
 * The executions that signals of the endpoint started, by the id of the signal, in the order in which they were started. `actionSetsOfEndpoint` and
 * `actionRunsKept` limit their number.
 */
export function executionsBySignal(reader: StateReader, endpointId: number): Map<number, SignalExecution[]> {
  const bySignal = new Map<number, SignalExecution[]>();
  const sets = [...reader.lookup('actionSetsByEndpoint', String(endpointId))].sort((left, right) => left.id - right.id);
  for (const { id: actionSetId, name: actionSetName } of sets)
    for (const { id, project, state, signalId } of reader.lookup('actionRunsBySet', String(actionSetId))) {
      const executions = bySignal.get(signalId);
      const execution = { id, actionSetId, project, state, actionSetName };
      if (executions) executions.push(execution);
      else bySignal.set(signalId, [execution]);
    }
  return bySignal;
}
