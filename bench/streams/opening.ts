import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, inform, kilobytes, microseconds, milliseconds } from '../support/report.ts';
import type { Process } from '../support/service.ts';
import type { Readers } from './readers.ts';

const LEAVE_TIMEOUT_MS = 60_000;

/** The cost until all streams of a fleet had what they lacked. */
export interface Arrival {
  readonly lastMs: number;
  /** How many of them had sent their request before the first was answered. */
  readonly waiting: number;
  /** Processor time of the service, microseconds a stream, including accepting the connections. */
  readonly cpuUs: number;
  /** Maximum resident memory above that before, bytes a stream. */
  readonly peakBytes: number;
}

/** Connects `count` readers at once, and waits until each has the event that begins with `marker`. */
export async function arrive(service: Process, readers: Readers, count: number, marker?: string): Promise<Arrival> {
  const [restingBytes, cpuBeforeS] = [service.residentBytes(), service.cpuS()];
  service.forgetPeak();
  const { ms, waiting } = await readers.open(service, count, marker);
  return {
    lastMs: Math.max(...ms),
    waiting,
    cpuUs: ((service.cpuS() - cpuBeforeS) / count) * 1e6,
    peakBytes: Math.max(0, service.peakResidentBytes() - restingBytes) / count,
  };
}

export function arrivalFigures(who: string, { lastMs, waiting, cpuUs, peakBytes }: Arrival): Figure[] {
  const asked = `${waiting} had asked before the first was answered`;
  return [
    inform(`${who} (${asked}): until the last has all of it; CPU a stream`, milliseconds(lastMs), microseconds(cpuUs)),
    inform(`${who}: resident memory at most, beyond that before them, a stream`, kilobytes(peakBytes)),
  ];
}

/** Closes all of them; resolves when the service has noticed. */
export async function leave(service: Process, readers: Readers): Promise<void> {
  readers.leave();
  await untilStreams(service, 0);
}

/** Resolves when the service has at most this number of streams. */
export async function untilStreams(service: Process, most: number): Promise<void> {
  for (const deadlineMs = performance.now() + LEAVE_TIMEOUT_MS; (await openStreams(service)) > most; ) {
    if (performance.now() > deadlineMs) throw new Error('the service keeps streams whose readers have left');
    await sleep(20);
  }
}

async function openStreams({ url }: Process): Promise<number> {
  const page = await (await fetch(`${url}/internal-backstage/prometheus`)).text();
  return Number(/^burgee_streams (\d+)$/m.exec(page)?.[1]);
}
