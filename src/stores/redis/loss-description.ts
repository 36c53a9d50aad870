import { relate } from '../lineage.ts';
import type { RecoveryAction } from '../recovery-action.ts';
import type { LogLoss } from '../shared-store.ts';
import type { HistoryStatus } from './history-status.ts';

/**
 * The report about a recovery action with which this replica does not use the server. `kind` is null when the server has everything that this replica
 * knows.
 */
type Reported = Omit<LogLoss, 'kind'> & { readonly kind: LogLoss['kind'] | null };

export function lossOf(
  action: RecoveryAction,
  {
    asked: known,
    line,
    missing = null,
  }: Pick<HistoryStatus, 'asked' | 'line'> & Partial<Pick<HistoryStatus, 'missing'>>,
): Reported {
  const end = line ? `its log ends at ${line.seq}` : 'its log is missing';
  const found = missing === null ? end : `${missing} ${missing.startsWith('what') ? 'is' : 'are'} missing`;
  const observed = {
    mayRefill: false,
    known,
    foundEpoch: line?.epoch ?? null,
    foundTip: line?.seq ?? 0,
    commonSeq: 0,
  };
  const behind = `${found}, but this replica knows it up to ${known.seq}`;
  switch (action.name) {
    case 'refill':
      return { ...observed, kind: 'behind', mayRefill: true, message: behind };
    case 'await': {
      const isHeld = line && relate(known, line)?.leftDivergent === 0;
      const message = `${found}, but replica ${action.replica} knows it up to ${action.seq}`;
      return { ...observed, kind: isHeld || known.seq === 0 ? null : 'behind', message };
    }
    case 'give-up': {
      const { commonSeq, divergent } = action;
      const message = `it continued from ${commonSeq} without ${divergent} commits that this replica knows`;
      return { ...observed, kind: 'superseded', commonSeq, message };
    }
    case 'refuse':
      if (action.why === 'foreign') {
        const what = line?.epoch === known.epoch ? 'has other entries' : `does not descend from ${known.epoch}`;
        return { ...observed, kind: 'foreign', message: `its history, of epoch ${line?.epoch}, ${what}` };
      }
      if (action.why === 'contested') {
        const message = `${found}, and replicas hold different histories that continue from there`;
        return { ...observed, kind: 'contested', message };
      }
      if (action.why === 'incomplete') {
        const message = `${found}, and no running replica has all that was there`;
        return { ...observed, kind: 'incomplete', message };
      }
      return { ...observed, kind: 'behind', message: behind };
    default:
      return { ...observed, kind: null, message: action.name };
  }
}
