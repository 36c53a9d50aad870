import { fileURLToPath } from 'node:url';
import type { Feature } from '../../src/model/feature.ts';
import { freePort } from './free-port.ts';
import type { LoopHolds } from './loop-probe.ts';
import { type Process, type ServiceOptions, startProcess, startSeededService, untilReady } from './service.ts';

const SCRIPT = fileURLToPath(new URL('./probed-service.js', import.meta.url));
const REPLY_TIMEOUT_MS = 120_000;

export interface ProbedService extends Process {
  /** How long the event loop was blocked since the last call. */
  takeHolds(): Promise<LoopHolds>;
  /** Resolves when a snapshot has been stored and the log trimmed. */
  snapshot(): Promise<{ readonly tookMs: number; readonly sizeBytes: number }>;
}

/** Starts the service as a process that reports how long its event loop is blocked. */
export async function startProbedService(
  features: readonly Feature[],
  options: Omit<ServiceOptions, 'script'> = {},
): Promise<ProbedService> {
  return withOrders(await startSeededService(features, { ...options, script: SCRIPT }));
}

/** Starts a relay of the service in the same way. It stores nothing. */
export async function startProbedRelay(upstreamUrl: string, tokens: readonly string[]): Promise<ProbedService> {
  const port = await freePort();
  const environment = {
    HTTP_HOST: '127.0.0.1',
    INTERFACE: '127.0.0.1',
    PORT: String(port),
    HTTP_PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    TOKENS: tokens.join(','),
    LOG_LEVEL: 'warn',
  };
  const relay = await startProcess(SCRIPT, [], environment, port);
  await untilReady(relay);
  return withOrders(relay);
}

function withOrders(service: Process): ProbedService {
  const ask = <Reply>(order: 'holds' | 'snapshot'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { child } = service;
      const end = (settle: () => void) => {
        clearTimeout(deadline);
        child.off('message', onMessage);
        child.off('close', onClose);
        settle();
      };
      const onMessage = (reply: unknown) => end(() => resolve(reply as Reply));
      const onClose = () => end(() => reject(new Error('the service ended')));
      const deadline = setTimeout(() => end(() => reject(new Error(`no reply to ${order}`))), REPLY_TIMEOUT_MS);
      child.on('message', onMessage);
      child.on('close', onClose);
      child.send(order);
    });
  return { ...service, takeHolds: () => ask('holds'), snapshot: () => ask('snapshot') };
}
