import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { ImpactMetrics } from '../../../src/features/impact-metrics/impact-metrics.ts';
import { Connections } from '../../../src/features/propagation/connections.ts';
import { FlagStats } from '../../../src/features/usage/flag-stats.ts';
import { ReportSums } from '../../../src/features/usage/report-sums.ts';
import { ReportBox } from '../../../src/products/relay/report-box.ts';
import { State } from '../../../src/state/state.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const SCOPE = { environment: 'development', projects: null };
const SENDERS = 30;

/** A string almost as long as a request body may be, in one piece, as strings of requests are. */
function longText(begin: string): string {
  const bytes = Buffer.alloc(900_000, 'x');
  bytes.write(begin);
  return bytes.toString('latin1');
}

const reporter = (sender: number) => ({
  appName: 'shop',
  instanceId: `instance-${sender}`,
  sdk: longText(`unleash-client-node-${sender}:`),
  sdkOfRequest: '',
  address: '',
  isPublic: false,
});

interface Keeper {
  readonly name: string;
  /** Stores data of each sender. Returns the object that stores it. */
  fill(): object;
}

const each = <T extends object>(keeper: T, send: (keeper: T, sender: number) => void): T => {
  for (let sender = 0; sender < SENDERS; sender++) send(keeper, sender);
  return keeper;
};

const KEEPERS: readonly Keeper[] = [
  {
    name: 'reports of a relay',
    fill: () =>
      each(new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' }), (box, sender) =>
        box.register(SCOPE, reporter(sender), [longText(`strategy-${sender}-`)]),
      ),
  },
  {
    name: 'sums of reports',
    fill: () => {
      const sums = each(new ReportSums(new State()), (each, sender) =>
        each.register(SCOPE, reporter(sender), [longText(`strategy-${sender}-`)], systemClock.nowMs()),
      );
      return [sums, sums.next()];
    },
  },
  {
    name: 'metrics of applications',
    fill: () =>
      each(new ImpactMetrics(), (metrics, sender) => {
        const samples = [{ labels: { shelf: longText(`shelf-${sender}-`) }, value: 1 }];
        const help = longText(`help ${sender} `);
        const source = { scope: SCOPE, appName: 'shop', isPublic: true };
        metrics.report([{ name: `sold_${sender}`, help, type: 'counter', samples }], source, systemClock.nowMs());
      }),
  },
  {
    name: 'statistics of flags and SDKs',
    fill: () =>
      each(new FlagStats(), (stats, sender) => {
        stats.addRegistration(reporter(sender).sdk);
        stats.addRegistration(longText(`a-name-without-version-${sender}-`));
        stats.addUse(longText(`a-long-flag-${sender}-`), 'shop', 'development', { yes: 1, no: 0 });
      }),
  },
  {
    name: 'connections',
    fill: () =>
      each(new Connections(1_000), (connections, sender) =>
        connections.recordContact(SCOPE, `connection-${sender}`, longText(`app-${sender}-`), systemClock.nowMs()),
      ),
  },
];

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it.each(KEEPERS)('$name: keep only the short part of long texts that they use', ({ fill }) => {
  const before = heapUsed();
  const keeper = fill();
  // The whole texts would be 27 MB.
  expect(heapUsed() - before).toBeLessThan(5_000_000);
  expect(keeper).toBeDefined();
});
