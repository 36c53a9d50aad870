import { relate } from '../lineage.ts';
import type { RecoveryAction } from '../recovery-action.ts';
import type { LogLoss } from '../shared-store.ts';
import type { HistoryStatus } from './history-status.ts';

/**
 * The report about a recovery action during which this replica does not use the server. `kind` is null when the server has everything that this
 * replica knows.
 */
type LossReport = Omit<LogLoss, 'kind'> & { readonly kind: LogLoss['kind'] | null };

export function lossOf(
  action: RecoveryAction,
  {
    knownPosition: known,
    serverPosition,
    missing = null,
  }: Pick<HistoryStatus, 'knownPosition' | 'serverPosition'> & Partial<Pick<HistoryStatus, 'missing'>>,
): LossReport {
  const end = serverPosition ? `its log ends at ${serverPosition.seq}` : 'its log is missing';
  const serverState = missing ?? end;
  const facts = {
    mayRefill: false,
    known,
    foundEpoch: serverPosition?.epoch ?? null,
    foundTip: serverPosition?.seq ?? 0,
    commonSeq: 0,
  };
  const behind = `${serverState}, but this replica knows it up to ${known.seq}`;
  switch (action.name) {
    case 'refill':
      return { ...facts, kind: 'behind', mayRefill: true, message: behind };
    case 'await': {
      const serverHasAll = serverPosition && relate(known, serverPosition)?.leftDivergent === 0;
      const message = `${serverState}, but replica ${action.replica} knows it up to ${action.seq}`;
      return { ...facts, kind: serverHasAll || known.seq === 0 ? null : 'behind', message };
    }
    case 'give-up': {
      const { commonSeq, divergent } = action;
      const message = `its history continued from commit ${commonSeq} without ${divergent} commits of this replica`;
      return { ...facts, kind: 'superseded', commonSeq, message };
    }
    case 'refuse':
      if (action.why === 'foreign') {
        const what =
          serverPosition?.epoch === known.epoch ? 'has other entries' : `does not descend from ${known.epoch}`;
        return { ...facts, kind: 'foreign', message: `its history, of epoch ${serverPosition?.epoch}, ${what}` };
      }
      if (action.why === 'contested') {
        const message = `${serverState}, and replicas hold different histories that continue from there`;
        return { ...facts, kind: 'contested', message };
      }
      if (action.why === 'incomplete') {
        const message = `${serverState}, and no running replica has all that was there`;
        return { ...facts, kind: 'incomplete', message };
      }
      return { ...facts, kind: 'behind', message: behind };
    default:
      return { ...facts, kind: null, message: action.name };
  }
}
