import type { Course } from '../course.ts';
import { relate } from '../lineage.ts';
import type { LogLoss } from '../shared-store.ts';
import type { Facts } from './facts.ts';

/** How a recovery action is reported with which this replica does not use the server. `kind` is null when the server has all that is known here. */
type Told = Omit<LogLoss, 'kind'> & { readonly kind: LogLoss['kind'] | null };

export function lossOf(
  course: Course,
  { asked: known, line, missing = null }: Pick<Facts, 'asked' | 'line'> & Partial<Pick<Facts, 'missing'>>,
): Told {
  const end = line ? `its log ends at ${line.seq}` : 'its log is missing';
  const found = missing === null ? end : `${missing} ${missing.startsWith('what') ? 'is' : 'are'} missing`;
  const facts = { mayRefill: false, known, foundEpoch: line?.epoch ?? null, foundTip: line?.seq ?? 0, commonSeq: 0 };
  const behind = `${found}, but this replica knows it up to ${known.seq}`;
  switch (course.name) {
    case 'refill':
      return { ...facts, kind: 'behind', mayRefill: true, message: behind };
    case 'await': {
      const isHeld = line && relate(known, line)?.leftDivergent === 0;
      const message = `${found}, but replica ${course.replica} knows it up to ${course.seq}`;
      return { ...facts, kind: isHeld || known.seq === 0 ? null : 'behind', message };
    }
    case 'give-up': {
      const { commonSeq, divergent } = course;
      const message = `it continued from ${commonSeq} without ${divergent} commits that this replica knows`;
      return { ...facts, kind: 'superseded', commonSeq, message };
    }
    case 'refuse':
      if (course.why === 'foreign') {
        const what = line?.epoch === known.epoch ? 'has other entries' : `does not descend from ${known.epoch}`;
        return { ...facts, kind: 'foreign', message: `its history, of epoch ${line?.epoch}, ${what}` };
      }
      if (course.why === 'contested') {
        const message = `${found}, and replicas hold different histories that continue from there`;
        return { ...facts, kind: 'contested', message };
      }
      if (course.why === 'incomplete') {
        const message = `${found}, and no running replica has all that was there`;
        return { ...facts, kind: 'incomplete', message };
      }
      return { ...facts, kind: 'behind', message: behind };
    default:
      return { ...facts, kind: null, message: course.name };
  }
}
