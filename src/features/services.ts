import type { Clock } from '../base/clock.ts';
import type { RecentIds } from '../base/recent-ids.ts';
import type { Config } from '../config.ts';
import type { Membership } from '../engine/membership.ts';
import type { Replica } from '../engine/replica.ts';
import type { Snapshotter } from '../engine/snapshotter.ts';
import type { WriteRefusals } from '../engine/write-refusals.ts';
import type { Writer } from '../engine/writer.ts';
import type { RequestFigures } from '../http/request-figures.ts';
import type { State } from '../state/state.ts';
import type { Store } from '../stores/store.ts';
import type { BulkService } from './bulk/service.ts';
import type { EventIndex } from './events/event-index.ts';
import type { AuditLogRetention } from './events/retention.ts';
import type { EventSearch } from './events/search.ts';
import type { Backups } from './instance/backups/backups.ts';
import type { LoopDelay } from './instance/operations/loop-delay.ts';
import type { UiErrors } from './instance/ui-errors.ts';
import type { ProjectActivity } from './projects/activity.ts';
import type { LoginGuard } from './sign-on/login-guard.ts';
import type { Passwords } from './sign-on/passwords/hashing.ts';
import type { SignOn } from './sign-on/providers/sign-on.ts';
import type { CounterRecorder } from './usage/counter-recorder.ts';
import type { FlagFigures } from './usage/flag-figures.ts';
import type { FlagUse } from './usage/flag-use.ts';
import type { ImpactSink } from './usage/impact-metrics.ts';
import type { Propagation } from './usage/propagation/propagation.ts';
import type { UseReader } from './usage/reader.ts';
import type { UseRecorder } from './usage/recorder.ts';
import type { ReportSink } from './usage/report-sink.ts';
import type { Views } from './views.ts';

/** What the server tells of itself. */
interface ServerFigures {
  readonly figures: RequestFigures;
  readonly streams: number;
}

/** What endpoints work with. Reading goes to `state` and the views, changing goes to `writer`, nothing else changes anything. */
export interface Services extends Views {
  readonly config: Config;
  readonly clock: Clock;
  readonly state: State;
  readonly replica: Replica;
  readonly writer: Writer;
  readonly store: Store;
  /** Finds audit events by what they tell. */
  readonly eventIndex: EventIndex;
  /** Tells when something happened in projects. */
  readonly projectActivity: ProjectActivity;
  /** The same, and by text. */
  readonly eventSearch: EventSearch;
  readonly auditLogRetention: AuditLogRetention;
  /** This process's part among the replicas of a shared store; null with a store of its own. */
  readonly membership: Membership | null;
  /** Whether writes are taken, and why not. */
  readonly refusals: WriteRefusals;
  readonly bulk: BulkService;
  readonly passwords: Passwords;
  readonly loginGuard: LoginGuard;
  /** Counts what does not go through the log. */
  readonly counts: CounterRecorder;
  /** Takes what SDKs report: counts it, or tells another service. */
  readonly reports: ReportSink;
  /** Reports of relays that were taken lately, by the names that they gave them. */
  readonly bulkReports: RecentIds;
  /** Counts it. */
  readonly useRecorder: UseRecorder;
  /** What was counted of it, in the store. */
  readonly useReader: UseReader;
  /** When flags were used last, in memory. */
  readonly flagUse: FlagUse;
  /** What applications measure themselves. */
  readonly impactMetrics: ImpactSink;
  /** Which SDKs are connected, and what they have. */
  readonly propagation: Propagation;
  readonly backups: Backups;
  readonly uiErrors: UiErrors;
  readonly signOn: SignOn;
  /** How often flags were changed and used. */
  readonly flagFigures: FlagFigures;
  readonly loopDelay: LoopDelay;
  readonly snapshotter: Snapshotter;
  /** The server that takes requests. */
  http(): ServerFigures;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Whether requests should be sent here: state is loaded and the service is not stopping. */
  ready(): boolean;
}
