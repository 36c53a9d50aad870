import type { Backups } from '../actors/backups.ts';
import type { CounterRecorder } from '../actors/counter-recorder.ts';
import type { EventIndex } from '../actors/event-index.ts';
import type { FlagFigures } from '../actors/flag-figures.ts';
import type { FlagUse } from '../actors/flag-use.ts';
import type { ImpactSink } from '../actors/impact-metrics.ts';
import type { LoginGuard } from '../actors/login-guard.ts';
import type { LoopDelay } from '../actors/loop-delay.ts';
import type { Membership } from '../actors/membership.ts';
import type { Passwords } from '../actors/passwords.ts';
import type { ProjectActivity } from '../actors/project-activity.ts';
import type { Propagation } from '../actors/propagation.ts';
import type { Replica } from '../actors/replica.ts';
import type { ReportSink } from '../actors/report-sink.ts';
import type { Snapshotter } from '../actors/snapshotter.ts';
import type { TrailKeeper } from '../actors/trail-keeper.ts';
import type { UiErrors } from '../actors/ui-errors.ts';
import type { UseReader } from '../actors/use-reader.ts';
import type { UseRecorder } from '../actors/use-recorder.ts';
import type { WriteRefusals } from '../actors/write-refusals.ts';
import type { Writer } from '../actors/writer.ts';
import type { Clock } from '../base/clock.ts';
import type { RecentIds } from '../base/recent-ids.ts';
import type { BulkService } from '../bulk/bulk-service.ts';
import type { EventSearch } from '../bulk/event-search.ts';
import type { Config } from '../config.ts';
import type { RequestFigures } from '../http/request-figures.ts';
import type { SignOn } from '../sign-on/sign-on.ts';
import type { State } from '../state/state.ts';
import type { Store } from '../stores/store.ts';
import type { Views } from '../views/views.ts';

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
  readonly trailKeeper: TrailKeeper;
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
