import { once } from 'node:events';
import { type Context as SdkContext, Unleash, UnleashEvents } from 'unleash-client';
import { endSdk } from '../../support/programs/end-sdk.ts';

/** An unmodified Node SDK, which polls when the test asks for it. */
export class Sdk {
  readonly #client: Unleash;

  private constructor(client: Unleash) {
    this.#client = client;
  }

  static async start(url: string, token: string): Promise<Sdk> {
    const client = new Unleash({
      skipInstanceCountWarning: true,
      url: `${url}/api`,
      appName: 'journey',
      disableMetrics: true,
      customHeaders: { Authorization: token },
      refreshInterval: 3_600_000,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    await once(client, UnleashEvents.Synchronized);
    return new Sdk(client);
  }

  /** The result after a poll. */
  async isEnabled(flag: string, context: SdkContext = {}): Promise<boolean> {
    await (this.#client as unknown as { readonly repository: { fetch(): Promise<void> } }).repository.fetch();
    return this.isEnabledNow(flag, context);
  }

  /** The result without a poll. */
  isEnabledNow(flag: string, context: SdkContext = {}): boolean {
    return this.#client.isEnabled(flag, context);
  }

  /** The variant for the context, without a poll. */
  variantNow(flag: string, context: SdkContext = {}) {
    return this.#client.getVariant(flag, context);
  }

  end(): void {
    endSdk(this.#client);
  }
}
