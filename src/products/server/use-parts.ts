import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { RecentIds } from '../../base/recent-ids.ts';
import type { Config } from '../../config.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Writer } from '../../engine/writer.ts';
import { LoopDelay } from '../../features/instance/operations/loop-delay.ts';
import type { Services } from '../../features/services.ts';
import type { Source } from '../../features/source.ts';
import { CounterRecorder } from '../../features/usage/counter-recorder.ts';
import { FlagFigures } from '../../features/usage/flag-figures.ts';
import { FlagUse } from '../../features/usage/flag-use.ts';
import { ImpactMetrics } from '../../features/usage/impact-metrics.ts';
import { ConnectionExchange } from '../../features/usage/propagation/exchange.ts';
import { Propagation } from '../../features/usage/propagation/propagation.ts';
import { UseReader } from '../../features/usage/reader.ts';
import { UseRecorder } from '../../features/usage/recorder.ts';
import { isShared } from '../../stores/shared-store.ts';
import type { Store } from '../../stores/store.ts';

interface UsePartsSource {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly source?: Source;
}

/** A relay sends a report again within minutes; a thousand relays send as many reports in an hour or two. */
const BULK_REPORTS_MAX = 100_000;

/** What takes reports of use, and what tells of it. */
export function useParts(
  { config, store, clock, logger, source }: UsePartsSource,
  parts: { readonly replica: Replica; readonly writer: Writer; readonly counts: CounterRecorder },
): Pick<
  Services,
  | 'reports'
  | 'bulkReports'
  | 'useRecorder'
  | 'useReader'
  | 'flagUse'
  | 'flagFigures'
  | 'loopDelay'
  | 'impactMetrics'
  | 'propagation'
> {
  const { replica, writer, counts } = parts;
  const { state: reader } = replica;
  const flagUse = new FlagUse(store.counters, clock, logger);
  const { limits } = config;
  const flagFigures = source?.flagFigures ?? new FlagFigures();
  replica.onApplied((applied) => flagFigures.apply(applied));
  const useRecorder = new UseRecorder({ reader, writer, counts, flagUse, flagFigures, clock, logger, limits });
  const useReader = new UseReader(store.counters, useRecorder, clock);
  const propagation = propagationOf({ store, clock, logger }, replica);
  const impactMetrics = source?.impactMetrics ?? new ImpactMetrics();
  const figures = { flagFigures, loopDelay: new LoopDelay(), impactMetrics };
  const reports = source?.reports ?? useRecorder;
  const bulkReports = new RecentIds(BULK_REPORTS_MAX);
  return { reports, bulkReports, useRecorder, useReader, flagUse, ...figures, propagation };
}

/** What follows which SDKs have what: alone, or together with other replicas. */
function propagationOf(
  { store, clock, logger }: Omit<UsePartsSource, 'config' | 'source'>,
  replica: Replica,
): Propagation {
  const { counters } = store;
  const recorder = () => new CounterRecorder(counters, clock, logger, { recorder: randomUUID() });
  const exchange = isShared(store)
    ? new ConnectionExchange({ counters, recorder: recorder(), clock, mark: () => replica.mark })
    : null;
  const propagation = new Propagation({ state: replica.state, clock, exchange });
  replica.onApplied((applied) => propagation.apply(applied));
  replica.onReplaced(() => propagation.replaced());
  return propagation;
}
