import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Changer } from './fleet/changer.ts';
import { Fleet } from './fleet/fleet.ts';
import { type FleetOptions, helpText, OptionError, readOptions } from './fleet/options.ts';
import { type FleetResult, resultOf, resultText } from './fleet/result.ts';
import { type Target, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/** A fleet of polling SDKs against an instance. `--help` prints the options. */
const PROGRESS_MS = 1000;
const REACH_TIMEOUT_MS = 5_000;
/** How long clients may take to get their first list, in addition to the interval over which they start. */
const EQUIP_TIMEOUT_MS = 60_000;

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(helpText());
    return;
  }
  let service: Process | undefined;
  try {
    if (options.url === '') service = await startSeededService(makeFlags(options.flags, { seed: options.flags }));
    const result = await run(service ? against(service, options) : options);
    process.stdout.write(resultText(result));
    if (options.jsonFile !== '') writeFileSync(options.jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await service?.end();
  }
}

function against(service: Process, options: FleetOptions): FleetOptions {
  const own = { url: service.url, token: CLIENT_TOKEN, adminToken: ADMIN_TOKEN, environment: 'development' };
  return { ...options, ...own };
}

async function run(options: FleetOptions): Promise<FleetResult> {
  const target = targetOf(options.url);
  const basePath = new URL(options.url).pathname.replace(/\/+$/, '');
  await reach(target, options.url);
  const fleet = new Fleet({ ...options, target, basePath });
  const changer = options.changesPerS > 0 ? new Changer({ ...options, target, basePath }) : undefined;
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once('SIGINT', stop);
  const progress = startProgress(fleet, options);
  try {
    await changer?.create();
    fleet.start();
    await Promise.race([equip(fleet, options, stopped.signal), fleet.refused]);
    fleet.resetCounts();
    const startedMs = performance.now();
    await Promise.race([measure(fleet, changer, options, stopped.signal), fleet.refused]);
    const result = resultOf(fleet, options, performance.now() - startedMs);
    if (!changer) return result;
    await Promise.race([settle(fleet, options, stopped.signal), fleet.refused]);
    return { ...result, changes: fleet.propagation.result() };
  } finally {
    process.removeListener('SIGINT', stop);
    progress.stop();
    fleet.end();
    await changer?.remove().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`burgee bench: the flag ${changer.flag} could not be deleted: ${reason}\n`);
    });
  }
}

/** @throws Error when no server listens there: otherwise the fleet would count errors for a minute. */
function reach({ host, port }: Target, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: REACH_TIMEOUT_MS });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(`nothing can be reached at ${url}: ${reason}`));
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => fail(error.message));
    socket.once('timeout', () => fail('no answer'));
  });
}

/** Resolves when every client has the list. Fails early when no client has a list after two errors per client: waiting would not help. */
async function equip(fleet: Fleet, { clients, intervalMs }: FleetOptions, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + intervalMs + EQUIP_TIMEOUT_MS;
  while (fleet.equipped < clients && !signal.aborted) {
    if (fleet.equipped === 0 && fleet.counts.errors >= 2 * clients)
      throw new Error(`none of ${clients} clients got a list: ${fleet.lastError}`);
    if (performance.now() > deadlineMs)
      throw new Error(
        `${clients - fleet.equipped} of ${clients} clients got no list: ${fleet.lastError || 'no answer'}`,
      );
    await sleep(20);
  }
}

/** Waits for the measured time, and makes the changes evenly over it. */
async function measure(
  fleet: Fleet,
  changer: Changer | undefined,
  { durationMs, changesPerS }: FleetOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedMs = performance.now();
  const elapsedMs = () => performance.now() - startedMs;
  for (let sent = 0; elapsedMs() < durationMs && !signal.aborted; ) {
    const nextMs = changer ? (sent / changesPerS) * 1000 : durationMs;
    const waitMs = Math.min(nextMs, durationMs) - elapsedMs();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (!changer || elapsedMs() >= durationMs || signal.aborted) continue;
    const sentAtMs = performance.now();
    const revision = await changer.change();
    if (revision !== null) fleet.propagation.changed(revision, sentAtMs, performance.now());
    sent++;
  }
}

/** Waits until the last changes have reached the clients that polled just before them. */
async function settle(fleet: Fleet, { intervalMs, jitter }: FleetOptions, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + intervalMs * (1 + jitter) + 2000;
  while (!fleet.propagation.complete && performance.now() < deadlineMs && !signal.aborted) await sleep(10);
}

/** One line of progress: rewritten every second on a terminal, otherwise printed every ten seconds. */
function startProgress(fleet: Fleet, { clients }: FleetOptions): { stop(): void } {
  const { stderr } = process;
  let ticks = 0;
  let lastRequests = 0;
  const timer = setInterval(() => {
    const { requests, errors } = fleet.counts;
    const perS = Math.max(0, requests - lastRequests);
    lastRequests = requests;
    const line = `${fleet.equipped}/${clients} clients, ${perS} requests/s, ${errors} errors`;
    if (stderr.isTTY) stderr.write(`\r\x1b[K${line}`);
    else if (ticks % 10 === 0) stderr.write(`${line}\n`);
    ticks++;
  }, PROGRESS_MS);
  return {
    stop() {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`burgee bench: ${message}\n${error instanceof OptionError ? 'See --help.\n' : ''}`);
  // As every command of burgee: 2 is wrong usage.
  process.exit(error instanceof OptionError ? 2 : 1);
});
