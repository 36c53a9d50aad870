import { randomBytes } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import { readConfig } from '../../config.ts';
import type { FeatureParts } from '../../features/services.ts';
import { MemoryStore } from '../../stores/memory/memory-store.ts';
import { type RunningService, startService } from '../server/service.ts';
import { beginRollout, Life, type Pace } from './life.ts';
import { PastClock } from './past-clock.ts';
import { Sdk } from './sdk.ts';
import { seedHistory } from './seed-history.ts';
import { ADMIN, type People, seedPeople, seedSetup } from './seed-setup.ts';

/** How far the history goes back. */
const HISTORY_DAYS = 28;
/** How many hours of the past have numbers of evaluations. The service keeps 48 hours; an hour may end before it has added up the reports. */
const METRICS_HOURS = 40;

interface Application {
  readonly appName: string;
  readonly environment: string;
  readonly uses: readonly string[];
  readonly sdkVersion: string;
  readonly instances: number;
  /** How much more it evaluates than in one report, in an hour of the past. */
  readonly weight: number;
}

const APPLICATIONS: readonly Application[] = [
  {
    appName: 'web-shop',
    environment: 'production',
    uses: ['shop.', 'search.', 'platform.'],
    instances: 2,
    sdkVersion: 'unleash-node-sdk:6.6.0',
    weight: 40,
  },
  {
    appName: 'search-api',
    environment: 'production',
    uses: ['search.', 'platform.'],
    instances: 1,
    sdkVersion: 'unleash-java-sdk:10.2.0',
    weight: 60,
  },
  {
    appName: 'mobile-gateway',
    environment: 'production',
    uses: ['mobile.', 'shop.'],
    instances: 1,
    sdkVersion: 'unleash-go-sdk:4.5.0',
    weight: 25,
  },
  {
    appName: 'web-shop',
    environment: 'development',
    uses: ['shop.', 'search.'],
    instances: 1,
    sdkVersion: 'unleash-node-sdk:6.6.0',
    weight: 1,
  },
];

interface DemoOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly logger: Logger;
  /** Without it, nothing happens after the seeding, and the time stands still. */
  readonly pace?: Pace;
  /** The time at which the history ends. */
  readonly endMs?: number;
  readonly parts?: Partial<FeatureParts>;
  readonly random?: () => number;
}

export interface Demo {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly service: RunningService;
  close(): Promise<void>;
}

/** Starts a service with its data in memory, fills it through its API, and keeps it busy. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { host, port, logger, pace, parts, random = Math.random, endMs = Date.now() } = options;
  const password = `demo-${randomBytes(6).toString('hex')}-X`;
  const clock = new PastClock(endMs, HISTORY_DAYS, pace ? undefined : { nowMs: () => endMs });
  const config = readConfig({
    HTTP_HOST: host,
    HTTP_PORT: String(port),
    UNLEASH_DEFAULT_ADMIN_USERNAME: ADMIN,
    UNLEASH_DEFAULT_ADMIN_PASSWORD: password,
    // The data ends with the process, so the key does, too.
    SECRETS_KEY: randomBytes(32).toString('hex'),
  });
  const service = await startService({
    config,
    store: new MemoryStore(),
    clock,
    logger,
    random,
    ...(parts && { parts }),
  });
  const closing = new AbortController();
  let life: Life | undefined;
  const close = async () => {
    closing.abort();
    await life?.ended();
    await service.close();
  };
  try {
    await service.started;
    const url = `http://${addressOf(host)}:${service.port}`;
    const { people, sdks } = await seed(url, password, clock, closing.signal);
    clock.release();
    if (pace) life = new Life({ people, sdks, clock, logger, pace }, closing.signal);
    return { url, username: ADMIN, password, service, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address at which this machine reaches the host. */
function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function seed(
  url: string,
  password: string,
  clock: PastClock,
  signal: AbortSignal,
): Promise<{ people: People; sdks: Sdk[] }> {
  const people = await seedPeople(url, password, () => clock.pass());
  const segments = await seedSetup(people);
  await seedHistory(people, segments, clock);
  await beginRollout(people);
  clock.moveTo(0);
  const sdks: Sdk[] = [];
  for (const application of APPLICATIONS) {
    const { appName, environment, instances } = application;
    const token = await people.ada.send('POST', '/api-tokens', {
      tokenName: `${appName}-${environment}`,
      type: 'client',
      environment,
      projects: ['*'],
    });
    for (let count = 0; count < instances; count++)
      sdks.push(await startSdk({ ...application, url, token: token.secret, clock, signal }));
  }
  return { people, sdks };
}

/** Registers an instance, and reports the evaluations of the past. */
async function startSdk(options: Application & ConstructorParameters<typeof Sdk>[0]): Promise<Sdk> {
  const sdk = new Sdk(options);
  await sdk.register();
  await sdk.poll();
  for (let hoursAgo = METRICS_HOURS; hoursAgo > 0; hoursAgo--)
    await sdk.report(hoursAgo, options.weight * traffic(options.clock.nowMs(), hoursAgo));
  await sdk.report();
  return sdk;
}

/** People shop more in the evening than at night. */
function traffic(nowMs: number, hoursAgo: number): number {
  const hour = (new Date(nowMs).getUTCHours() + 24 * 7 - hoursAgo) % 24;
  return Math.round(6 - 5 * Math.cos(((hour - 5) / 24) * 2 * Math.PI));
}
