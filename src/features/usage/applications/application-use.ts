import { getOrMake } from '../../../base/get-or-make.ts';
import { FRONTEND_KIND } from '../use-series.ts';

/** An instance of an application, as it was last seen. */
export interface InstanceUse {
  readonly environment: string;
  readonly instanceId: string;
  /** Name and version of the SDK, as the SDK reports them; "" if it does not report them. */
  sdk: string;
  address: string;
  /** Whether its token is for browsers and apps. */
  isFrontend: boolean;
  seenMs: number;
}

/** The use of a flag that does not exist. */
export interface UnknownUse {
  readonly appName: string;
  readonly environment: string;
  readonly seenMs: number;
}

interface ApplicationEntry {
  /** Environment → instance. */
  readonly instances: Map<string, Map<string, InstanceUse>>;
  /** Environment → flags that exist or existed when they were reported. */
  readonly flags: Map<string, Set<string>>;
  /** Project of its tokens, or `*` → environments. */
  readonly projects: Map<string, Set<string>>;
  /** Environment → flags that did not exist. */
  readonly unknown: Map<string, Set<string>>;
  strategies: Set<string>;
  /** Time of the newest registration. */
  strategiesMs: number;
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** The recent reports of all applications, at one point in time. Entries are added while the counts are read from the store. */
export class ApplicationUse {
  readonly #sinceMs: number;
  readonly #applications = new Map<string, ApplicationEntry>();
  readonly #unknown = new Map<string, Map<string, UnknownUse>>();

  /**
   * Entries older than `sinceMs` are left out. Two kinds of entries are always included: strategies, because an SDK reports them only when it starts,
   * and flags that do not exist.
   */
  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** Names of the applications that were seen. */
  names(): Iterable<string> {
    return this.#applications.keys();
  }

  instances(appName: string): ReadonlyMap<string, ReadonlyMap<string, InstanceUse>> {
    return this.#applications.get(appName)?.instances ?? NOTHING;
  }

  /** Environment → flags that exist or existed when they were reported. */
  flags(appName: string): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#applications.get(appName)?.flags ?? NOTHING;
  }

  /** Environment → flags that did not exist when they were reported. */
  unknownFlags(appName: string): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#applications.get(appName)?.unknown ?? NOTHING;
  }

  /** Projects of its tokens, `*` for all → environments. */
  projects(appName: string): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#applications.get(appName)?.projects ?? NOTHING;
  }

  /** The strategies that the most recently registered SDK knows. */
  strategies(appName: string): readonly string[] {
    return [...(this.#applications.get(appName)?.strategies ?? [])].sort();
  }

  /** Flags that do not exist → their uses. */
  *unknownUses(): Generator<readonly [flag: string, uses: readonly UnknownUse[]], void, void> {
    for (const [flag, uses] of this.#unknown) yield [flag, [...uses.values()]];
  }

  addInstance([appName, environment, instanceId, sdk, address, kind]: readonly string[], seenMs: number): void {
    if (appName === undefined || environment === undefined || instanceId === undefined || seenMs < this.#sinceMs)
      return;
    const instances = getOrMake(this.#entryOf(appName).instances, environment, () => new Map<string, InstanceUse>());
    const known = instances.get(instanceId);
    const reported = { sdk: sdk ?? '', address: address ?? '', isFrontend: kind === FRONTEND_KIND };
    if (!known) {
      instances.set(instanceId, { environment, instanceId, ...reported, seenMs });
      return;
    }
    // An older report may have values that the newest report does not have.
    const [newer, older] = seenMs >= known.seenMs ? [reported, known] : [known, reported];
    known.sdk = newer.sdk === '' ? older.sdk : newer.sdk;
    known.address = newer.address === '' ? older.address : newer.address;
    known.isFrontend = newer.isFrontend;
    known.seenMs = Math.max(known.seenMs, seenMs);
  }

  addUse([appName, environment, flag, project]: readonly string[], seenMs: number): void {
    if (appName === undefined || environment === undefined || flag === undefined || seenMs < this.#sinceMs) return;
    const entry = this.#entryOf(appName);
    if (flag !== '') getOrMake(entry.flags, environment, newSet).add(flag);
    else if (project !== undefined) getOrMake(entry.projects, project, newSet).add(environment);
  }

  addUnknown([flag, appName, environment]: readonly string[], seenMs: number): void {
    if (flag === undefined || appName === undefined || environment === undefined) return;
    // The oldest bucket arrives first, so a newer entry replaces the same entry of an older day.
    const uses = getOrMake(this.#unknown, flag, () => new Map<string, UnknownUse>());
    uses.set(JSON.stringify([appName, environment]), { appName, environment, seenMs });
    if (seenMs >= this.#sinceMs) getOrMake(this.#entryOf(appName).unknown, environment, newSet).add(flag);
  }

  addStrategy([appName, strategy]: readonly string[], seenMs: number): void {
    if (appName === undefined || strategy === undefined) return;
    const entry = this.#entryOf(appName);
    if (seenMs < entry.strategiesMs) return;
    if (seenMs > entry.strategiesMs) entry.strategies = new Set();
    entry.strategiesMs = seenMs;
    if (strategy !== '') entry.strategies.add(strategy);
  }

  #entryOf(appName: string): ApplicationEntry {
    return getOrMake(this.#applications, appName, () => ({
      instances: new Map(),
      flags: new Map(),
      projects: new Map(),
      unknown: new Map(),
      strategies: new Set<string>(),
      strategiesMs: 0,
    }));
  }
}

const newSet = () => new Set<string>();
