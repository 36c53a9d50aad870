import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { Quota } from '../../base/queues/quota.ts';
import { shortened } from '../../base/shortened.ts';
import { covers, type Scope } from '../../model/caller.ts';
import { type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import { NAME_LENGTH_MAX, URL_SAFE_CHARACTERS } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { type FlagReport, type FlagReports, sumOfTimes, timesOf } from './flag-report.ts';
import { hourOfReport, namePart } from './use-series.ts';

/**
 * Maximum number of names of flags, variants, instances and strategies between two rounds. Browsers have their own quota: every visitor of a page has
 * the token of browsers, and must not displace the reports of servers.
 */
const NAMES_MAX = 50_000;
const BROWSER_NAMES_MAX = 20_000;

/** Maximum number of instances whose SDK is remembered. Older SDKs report their name and version only once, when they register. */
const SDKS_MAX = 20_000;

const STRATEGIES_MAX = 100;
const STRATEGY_LENGTH_MAX = 100;
const INSTANCE_LENGTH_MAX = 100;
const SDK_LENGTH_MAX = 60;
const ADDRESS_LENGTH_MAX = 64;

/** Valid flag names. A text that does not match cannot be the name of a flag that is created later, so it is not counted as an unknown flag. */
const FLAG_NAME = new RegExp(`^[${URL_SAFE_CHARACTERS}]{1,${NAME_LENGTH_MAX}}$`);

/** The instance of an application that reports. Values that it does not report are "". */
export interface Reporter {
  readonly appName: string;
  readonly instanceId: string;
  /** `<name of the SDK>:<version>`, as reported. */
  readonly sdk: string;
  /**
   * The SDK according to the request header, which some SDKs spell differently. Used if `sdk` is "" and no SDK is remembered for the instance.
   */
  readonly sdkOfRequest: string;
  readonly address: string;
  /** Whether its token is public: it is a browser or an app. */
  readonly isPublic: boolean;
}

/**
 * The reasons for which an item of a report is not counted. `full`: there are too many names. `project`, `environment`: the token does not cover this
 * project or environment.
 * `name`: the flag name is impossible, or the flag does not have the variant. `late`: it is too old. `application`: it names no application, or
 * there are too many applications.
 */
const DROP_REASONS = ['full', 'project', 'environment', 'name', 'late', 'application'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export interface FlagSums {
  yes: number;
  no: number;
  variants: Map<string, VariantSum> | null;
}

interface VariantSum {
  times: number;
}

interface Instance {
  readonly sdk: string;
  readonly address: string;
}

/** The reports of one kind of reporters (servers or browsers): hour → scope → application. Tokens with the same scope share a scope object. */
interface ReporterGroup {
  readonly hours: Map<number, Map<Scope, Map<string, ApplicationSums>>>;
  /** Quota for names. */
  readonly quota: Quota;
  /** Whether the tokens are public, see `Reporter.isPublic`. */
  readonly isPublic: boolean;
}

/** The reports of one application for one hour and one scope. */
export interface ApplicationSums {
  readonly group: ReporterGroup;
  readonly scope: Scope;
  readonly appName: string;
  readonly hourMs: number;
  /** Time of the last report. */
  seenMs: number;
  readonly flags: Map<string, FlagSums>;
  /** Flags that do not exist. */
  readonly unknown: Set<string>;
  readonly instances: Map<string, Instance>;
  /** Names of strategies from the newest registration; null if none was received. */
  strategies: readonly string[] | null;
}

/** Counts of one flag from many instances of an application, as a relay sends them. */
interface RelayedUse {
  readonly scope: Scope;
  readonly appName: string;
  readonly flag: string;
  readonly use: FlagReport;
}

/** Sums of reports, in memory. A report costs one look-up and one addition for each flag; the number of new names is bounded. */
export class ReportSums {
  readonly dropped: Record<DropReason, number>;
  readonly #reader: StateReader;
  readonly #servers: ReporterGroup = { hours: new Map(), quota: new Quota(NAMES_MAX), isPublic: false };
  readonly #browsers: ReporterGroup = { hours: new Map(), quota: new Quota(BROWSER_NAMES_MAX), isPublic: true };
  /** Application and instance → SDK. */
  readonly #sdks: Map<string, string>;

  constructor(reader: StateReader, before?: ReportSums) {
    this.#reader = reader;
    this.dropped = before?.dropped ?? { full: 0, project: 0, environment: 0, name: 0, late: 0, application: 0 };
    this.#sdks = before ? before.#sdks : new Map();
  }

  /** Number of names in memory. */
  get size(): number {
    return this.#servers.quota.count + this.#browsers.quota.count;
  }

  /** Empty sums, for the reports from now on. */
  next(): ReportSums {
    return new ReportSums(this.#reader, this);
  }

  *applicationSums(): Generator<ApplicationSums, void, void> {
    for (const { hours } of [this.#servers, this.#browsers])
      for (const scopes of hours.values()) for (const applications of scopes.values()) yield* applications.values();
  }

  register(scope: Scope, reporter: Reporter, strategies: readonly string[] | null, nowMs: number): void {
    if (reporter.sdk !== '') this.#remember(reporter);
    const application = this.#sumsFor(scope, reporter, nowMs, nowMs);
    if (!application) return;
    this.#addInstance(application, reporter);
    if (strategies) this.#setStrategies(application, strategies);
  }

  report(scope: Scope, reporter: Reporter, flags: FlagReports, untilMs: number, nowMs: number): void {
    const application = this.#sumsFor(scope, reporter, untilMs, nowMs);
    if (!application) return;
    this.#addInstance(application, reporter);
    for (const flag in flags) this.#addUse(application, flag, flags[flag] as FlagReport);
  }

  reportFlag({ scope, appName, flag, use }: RelayedUse, untilMs: number, nowMs: number): void {
    const application = this.#sumsFor(scope, { appName, isPublic: false }, untilMs, nowMs);
    if (application) this.#addUse(application, flag, use);
  }

  /** The sums of an application for the hour of the report. Undefined if the report is too old, or if no quota is left. */
  #sumsFor(
    scope: Scope,
    { appName, isPublic }: Pick<Reporter, 'appName' | 'isPublic'>,
    untilMs: number,
    nowMs: number,
  ): ApplicationSums | undefined {
    const hourMs = hourOfReport(untilMs, nowMs);
    if (hourMs === undefined) {
      this.dropped.late++;
      return undefined;
    }
    const group = isPublic ? this.#browsers : this.#servers;
    const scopes = getOrMake(group.hours, hourMs, newMap<Scope, Map<string, ApplicationSums>>);
    const applications = getOrMake(scopes, scope, newMap<string, ApplicationSums>);
    let application = applications.get(appName);
    if (!application) {
      if (!this.#takeQuota(group)) return undefined;
      const emptySums = { flags: new Map(), unknown: new Set<string>(), instances: new Map(), strategies: null };
      application = { group, scope, appName, hourMs, seenMs: nowMs, ...emptySums };
      applications.set(appName, application);
    }
    application.seenMs = nowMs;
    return application;
  }

  #addInstance({ group, instances }: ApplicationSums, reporter: Reporter): void {
    const shortId = namePart(reporter.instanceId, INSTANCE_LENGTH_MAX);
    const known = instances.get(shortId);
    // An instance that reported counts before it registered is known without its SDK.
    const isKnown = known !== undefined && (known.sdk !== '' || reporter.sdk === '');
    if (shortId === '' || isKnown || (!known && !this.#takeQuota(group))) return;
    const { instanceId, appName, address, sdkOfRequest } = reporter;
    const sdk = reporter.sdk === '' ? (this.#sdks.get(`${appName} ${instanceId}`) ?? sdkOfRequest) : reporter.sdk;
    instances.set(shortId, { sdk: namePart(sdk, SDK_LENGTH_MAX), address: namePart(address, ADDRESS_LENGTH_MAX) });
  }

  #setStrategies(application: ApplicationSums, strategies: readonly string[]): void {
    const names = strategies.slice(0, STRATEGIES_MAX).map((name) => namePart(name, STRATEGY_LENGTH_MAX));
    if (this.#takeQuota(application.group, names.length - (application.strategies?.length ?? 0)))
      application.strategies = names;
  }

  #remember({ appName, instanceId, sdk }: Reporter): void {
    const key = `${appName} ${instanceId}`;
    if (key.length > 1_000) return;
    this.#sdks.delete(key);
    this.#sdks.set(key, shortened(sdk, SDK_LENGTH_MAX));
    if (this.#sdks.size <= SDKS_MAX) return;
    for (const oldest of this.#sdks.keys()) {
      this.#sdks.delete(oldest);
      return;
    }
  }

  #addUse(application: ApplicationSums, name: string, { yes, no, variants }: FlagReport): void {
    const flagSums = application.flags.get(name) ?? this.#newSums(application, name);
    if (!flagSums) return;
    flagSums.yes = sumOfTimes(flagSums.yes, timesOf(yes));
    flagSums.no = sumOfTimes(flagSums.no, timesOf(no));
    for (const variant in variants) {
      const times = timesOf(variants[variant]);
      if (times > 0) this.#addVariantUse(application, name, flagSums, variant, times);
    }
  }

  /** Creates the sums of a flag that is reported for the first time; undefined if it is not counted. */
  #newSums(application: ApplicationSums, name: string): FlagSums | undefined {
    if (!this.#isCounted(application, name) || !this.#takeQuota(application.group)) return undefined;
    const flagSums = { yes: 0, no: 0, variants: null };
    application.flags.set(name, flagSums);
    return flagSums;
  }

  #addVariantUse(
    { group, scope }: ApplicationSums,
    flag: string,
    flagSums: FlagSums,
    variant: string,
    count: number,
  ): void {
    flagSums.variants ??= new Map();
    const known = flagSums.variants.get(variant);
    if (known) {
      known.times = sumOfTimes(known.times, count);
      return;
    }
    const feature = this.#reader.get('features', flag);
    if (!feature || !hasVariant(featureEnvironment(feature, scope.environment), variant)) this.dropped.name++;
    else if (this.#takeQuota(group)) flagSums.variants.set(variant, { times: count });
  }

  /** Whether the flag exists and belongs to a project of the token. A flag that does not exist is added to the unknown flags. */
  #isCounted({ group, scope, unknown }: ApplicationSums, name: string): boolean {
    const feature = this.#reader.get('features', name);
    if (feature) {
      if (covers(scope, feature.project)) return true;
      this.dropped.project++;
    } else if (!FLAG_NAME.test(name)) this.dropped.name++;
    else if (!unknown.has(name) && this.#takeQuota(group)) unknown.add(name);
    return false;
  }

  #takeQuota({ quota }: ReporterGroup, names = 1): boolean {
    const isTaken = quota.take(names);
    if (!isTaken) this.dropped.full++;
    return isTaken;
  }
}

/** The variant name that SDKs report if no variant applies. */
const NO_VARIANT = 'disabled';

/**
 * Whether the flag or one of its strategies has this variant. Browser tokens are public, so only names of existing variants are counted. Otherwise
 * anyone with such a token could fill the memory.
 */
function hasVariant({ variants, strategies }: FeatureEnvironment, name: string): boolean {
  if (name === NO_VARIANT || variants.some((variant) => variant.name === name)) return true;
  return strategies.some((strategy) => strategy.variants.some((variant) => variant.name === name));
}
