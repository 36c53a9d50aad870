import { randomUUID } from 'node:crypto';
import { SERVICE } from '../../base/asking/asker.ts';
import { type Clock, HOUR_MS, isoTime } from '../../base/clock.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { SDK_SPEC, SdkList, sdkListOf } from '../migrate/verify/sdk-list.ts';
import { request } from './person.ts';

/** The users whose contexts an application evaluates in one report. */
const USERS = 60;
const COUNTRIES = ['NO', 'SE', 'DK', 'FI', 'DE', 'FR', 'GB', 'US'];
const PLANS = ['free', 'free', 'pro', 'enterprise'];
/** No value of a made-up context is longer. */
const LONGEST_VALUE = 40;
const VERSIONS = ['4.0.2', '4.1.0', '4.2.0', '4.3.1'];

interface Counts {
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
}

interface SdkOptions {
  readonly url: string;
  readonly token: string;
  readonly appName: string;
  /** The beginnings of the names of the flags that the application uses. */
  readonly uses: readonly string[];
  readonly sdkVersion: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly signal?: AbortSignal;
}

/**
 * An instance of an application, in the same way as with an SDK: it registers, polls the list of flags with an ETag, evaluates flags itself, and
 * reports what it has counted.
 */
export class Sdk {
  readonly #options: SdkOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #instanceId = randomUUID().slice(0, 8);
  #list = new SdkList(new Map(), new Map(), '');
  #nextUser: number;

  constructor(options: SdkOptions) {
    this.#options = options;
    this.#nextUser = options.appName.length * 1_000;
    this.#headers = {
      authorization: options.token,
      'unleash-client-spec': SDK_SPEC,
      'unleash-appname': options.appName,
      'unleash-instanceid': this.#instanceId,
      'unleash-connection-id': randomUUID(),
      'unleash-sdk': options.sdkVersion,
      'unleash-interval': '2000',
    };
  }

  get #reporter() {
    const { appName, sdkVersion } = this.#options;
    return { appName, instanceId: this.#instanceId, sdkVersion };
  }

  async register(): Promise<void> {
    const started = isoTime(this.#options.clock.nowMs());
    const strategies = ['default', 'flexibleRollout', 'userWithId', 'remoteAddress'];
    await this.#send('/api/client/register', { ...this.#reporter, strategies, started, interval: 10_000 });
  }

  /** Returns whether the list has changed. */
  async poll(): Promise<boolean> {
    const { url, signal } = this.#options;
    const { etag } = this.#list;
    const headers = { ...this.#headers, ...(etag !== '' && { 'if-none-match': etag }) };
    const answer = await request(url, 'GET', '/api/client/features', { headers, signal });
    if (answer.status === 304) return false;
    this.#list = sdkListOf(answer.body, answer.headers.get('etag') ?? '');
    return true;
  }

  /** Evaluates the flags for a number of made-up users, and reports the results. `hoursAgo`, `weight`: of a report about the past. */
  async report(hoursAgo = 0, weight = 1): Promise<void> {
    const stopMs = this.#options.clock.nowMs() - hoursAgo * HOUR_MS;
    const bucket = {
      start: isoTime(stopMs - 10_000),
      stop: isoTime(stopMs),
      toggles: await inSlices(this.#evaluate(weight), Slicer.of(SERVICE)),
    };
    await this.#send('/api/client/metrics', { ...this.#reporter, bucket });
  }

  *#evaluate(weight: number): Steps<Record<string, unknown>> {
    const { appName, uses, clock } = this.#options;
    const names = [...this.#list.flags.keys()].filter((name) => uses.some((start) => name.startsWith(start)));
    const counts = new Map(names.map((name): [string, Counts] => [name, { yes: 0, no: 0, variants: new Map() }]));
    for (let index = 0; index < USERS; index++) {
      const context = contextOf(this.#nextUser++, appName, clock.nowMs());
      for (const [name, count] of counts) {
        const { on, variant } = this.#list.resolve(name, context);
        if (on) count.yes += weight;
        else count.no += weight;
        if (on && variant.enabled) count.variants.set(variant.name, (count.variants.get(variant.name) ?? 0) + weight);
        yield;
      }
    }
    const sent = [...counts].map(([name, { yes, no, variants }]) => [
      name,
      { yes, no, variants: Object.fromEntries(variants) },
    ]);
    return Object.fromEntries(sent);
  }

  async #send(path: string, body: unknown): Promise<void> {
    const { url, signal } = this.#options;
    await request(url, 'POST', path, { headers: this.#headers, body, signal });
  }
}

/** The context of a made-up user. */
function contextOf(user: number, appName: string, currentTimeMs: number): EvaluationContext {
  const userId = `user-${user}`;
  const properties = {
    country: COUNTRIES[user % COUNTRIES.length],
    plan: PLANS[user % PLANS.length],
    appVersion: VERSIONS[user % VERSIONS.length],
    email: `${userId}@example.${user % 20 === 0 ? 'com' : 'org'}`,
  };
  return { userId, appName, currentTimeMs, properties, random: Math.random, longestValue: LONGEST_VALUE };
}
