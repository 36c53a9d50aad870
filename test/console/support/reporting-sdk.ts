import { once } from 'node:events';
import { type Context as SdkContext, Unleash, UnleashEvents } from 'unleash-client';
import { accepted } from '../../support/admin.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import type { TestService } from '../../support/service.ts';

interface Metrics {
  sendMetrics(): Promise<boolean>;
}

/** An unmodified Node SDK that registers, and reports what it counted when the test asks for it. */
export class ReportingSdk {
  readonly #client: Unleash;

  private constructor(client: Unleash) {
    this.#client = client;
  }

  static async start(url: string, token: string, appName: string): Promise<ReportingSdk> {
    const client = new Unleash({
      skipInstanceCountWarning: true,
      url: `${url}/api`,
      appName,
      instanceId: `${appName}-1`,
      customHeaders: { Authorization: token },
      refreshInterval: 3_600_000,
      metricsInterval: 3_600_000,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    await Promise.all([once(client, UnleashEvents.Synchronized), once(client, UnleashEvents.Registered)]);
    return new ReportingSdk(client);
  }

  /** Asks for the flag so many times, each with another user. Returns how often it was on. */
  ask(flag: string, times: number, context: SdkContext = {}): number {
    let yes = 0;
    for (let index = 0; index < times; index++) {
      if (this.#client.isEnabled(flag, { userId: `user-${index}`, ...context })) yes++;
    }
    return yes;
  }

  /** Asks for the variant so many times. Returns how often each was given. */
  askVariant(flag: string, times: number): ReadonlyMap<string, number> {
    const given = new Map<string, number>();
    for (let index = 0; index < times; index++) {
      const { name } = this.#client.getVariant(flag, { userId: `user-${index}` });
      given.set(name, (given.get(name) ?? 0) + 1);
    }
    return given;
  }

  async report(): Promise<void> {
    await (this.#client as unknown as { readonly metrics: Metrics }).metrics.sendMetrics();
  }

  end(): void {
    endSdk(this.#client);
  }
}

interface OldReport {
  readonly appName: string;
  readonly instanceId: string;
  readonly sdkVersion: string;
  readonly strategies?: readonly string[];
  readonly token?: string;
  readonly flags?: Readonly<Record<string, { readonly yes: number; readonly no: number }>>;
  /** How long ago the counts are from. */
  readonly hoursAgo?: number;
}

const HOUR_MS = 3_600_000;

/** What an SDK in another version, or hours ago, posts: the registration, and one report. */
export async function reportAs(service: TestService, report: OldReport): Promise<void> {
  const { token, flags = {}, hoursAgo = 0, strategies = ['default'], ...about } = report;
  const options = token === undefined ? {} : { token };
  await accepted(service, 'registerClientApplication', { ...options, body: { ...about, strategies } });
  const stop = Date.now() - hoursAgo * HOUR_MS;
  const bucket = { start: stop - 1000, stop, toggles: flags };
  await accepted(service, 'registerClientMetrics', { ...options, body: { ...about, bucket } });
}
