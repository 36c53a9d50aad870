import { randomUUID } from 'node:crypto';
import { begin, type LogPosition, ROOT } from '../lineage.ts';
import type { ReportedPosition } from '../recovery-action.ts';
import type { HistoryParts } from './history-parts.ts';
import { CONFIRM, REPORT_POSITION } from './history-scripts.ts';
import type { HistoryStatus } from './history-status.ts';
import { STORE_FORMAT } from './keys.ts';
import type { ServerReport } from './server-check.ts';
import type { Session } from './session.ts';

/** What a replica reports to the others in an election. */
export function reportedPositionOf(
  { replicaId, policy }: Pick<HistoryParts, 'replicaId' | 'policy'>,
  position: LogPosition,
): ReportedPosition {
  return { replica: replicaId, position, policy };
}

/** Reports the position of this replica to the others. */
export async function reportPosition(
  parts: HistoryParts,
  session: Session,
  { runId }: ServerReport,
  { knownPosition, serverPosition }: HistoryStatus,
): Promise<void> {
  const { keys, replicaId, timeouts } = parts;
  const reportedPosition = JSON.stringify(reportedPositionOf(parts, knownPosition));
  const found = [serverPosition?.epoch ?? '', serverPosition?.seq ?? 0];
  const args = [runId, ...found, replicaId, reportedPosition, timeouts.electionMs];
  await session.run(REPORT_POSITION, [keys.meta, keys.election, keys.lines], args);
}

/** Begins a new epoch of the server's history as it is, with the run of the server. */
export async function confirmRun(
  { keys, replicaId, logger }: HistoryParts,
  session: Session,
  { runId }: ServerReport,
  { serverPosition, version }: HistoryStatus,
): Promise<void> {
  const next = begin(randomUUID(), serverPosition ?? ROOT);
  const decidedFor = [serverPosition?.epoch ?? '', serverPosition?.seq ?? 0, version];
  const epoch = [next.epoch, JSON.stringify(next.ancestors)];
  const args = [STORE_FORMAT, runId, ...decidedFor, ...epoch, keys.hints, replicaId];
  const answer = String(await session.run(CONFIRM, [keys.meta, keys.election, keys.lines], args));
  if (answer === 'confirmed') logger.info({ epoch: next.epoch, seq: next.seq }, 'a new epoch of the history begins');
}
