import { rmSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { loggerTo } from '../../src/base/logger.ts';
import { ConsoleFiles } from '../../src/features/console/console-files.ts';
import { Passwords } from '../../src/features/sign-on/passwords/hashing.ts';
import { chooseStore } from '../../src/products/server/open-store.ts';
import { readServer } from '../../src/products/server/read-server.ts';
import { type RunningService, startService } from '../../src/products/server/service.ts';
import { FRONTS } from '../support/http/front.ts';
import { CHEAP } from '../support/password-cost.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { type Environment, Fleet, QUICK, Replica } from './fleet.ts';

/** A replica in this process: for what replicas agree on. What is about processes, such as a kill, needs a `ReplicaProcess`. */
class ReplicaHere extends Replica {
  readonly #environment: Environment;
  #service: RunningService | undefined;
  #log = '';

  constructor(environment: Environment) {
    super();
    this.#environment = environment;
  }

  get url(): string {
    if (!this.#service) throw new Error('the replica is not running');
    return `http://127.0.0.1:${this.#service.port}`;
  }

  get log(): string {
    return this.#log;
  }

  async start(environment: Environment = {}): Promise<void> {
    // As in `startTestService`: named where the machine has only one.
    const HTTP_FRONT = process.env.HTTP_FRONT ?? (FRONTS.length === 1 ? FRONTS[0] : undefined);
    const { config } = await readServer({
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: '0',
      ...(HTTP_FRONT !== undefined && { HTTP_FRONT }),
      DATA_DIR: this.directory,
      LOG_LEVEL: 'warn',
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
      INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
      ...QUICK,
      ...this.#environment,
      ...environment,
    });
    this.#log = '';
    const write = (line: string) => {
      this.#log += line;
    };
    const logger = loggerTo(config.logLevel, write, () => performance.now());
    const stored = await chooseStore(config, systemClock, logger);
    const consoleFiles = new ConsoleFiles(() => undefined, config, logger);
    const parts = { passwords: new Passwords({ cost: CHEAP }), consoleFiles };
    this.#service = await startService({ config, ...stored, logger, clock: systemClock, random: Math.random, parts });
    await this.#service.started;
    await untilTrue(async () => (await this.ready()).status === 200, 'the replica is ready');
  }

  async end(): Promise<void> {
    await this.#service?.close();
    this.#service = undefined;
  }

  async dispose(): Promise<void> {
    await this.end();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Some replicas in this process, on one real Redis. */
export type FleetHere = Fleet<ReplicaHere>;

export async function startFleetHere(count: number, environment: Environment = {}): Promise<FleetHere> {
  const fleet = new Fleet(await RedisServer.start(), async (own) => new ReplicaHere(own));
  return await fleet.startAll(count, environment);
}
