import { Connection, targetOf } from '../support/connection.ts';
import { switchRequest } from '../support/paths.ts';
import type { ReplicaProcess } from '../support/replicas.ts';

export interface WriteLoad {
  readonly perS: number;
  readonly conflictsPerS: number;
  /** Average number of commits in an append. */
  readonly batch: number;
}

/** Runs `writers` writers at once, spread over the replicas. Each has its own flag, and sends its next write when the one before was acknowledged. */
export async function writeOver(
  replicas: readonly ReplicaProcess[],
  flags: readonly string[],
  { writers, seconds }: { readonly writers: number; readonly seconds: number },
): Promise<WriteLoad> {
  const targets = replicas.map(({ url }) => targetOf(url));
  for (const replica of replicas) await replica.takeCounts();
  const startedMs = performance.now();
  const deadlineMs = startedMs + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: writers }, (_, writer) => {
      const target = targets[writer % targets.length];
      if (!target) throw new Error('there is no replica');
      return writeUntil(deadlineMs, target, flags[writer % flags.length] ?? '');
    }),
  );
  const tookS = (performance.now() - startedMs) / 1000;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const appends = await Promise.all(replicas.map((replica) => replica.takeCounts()));
  const sum = (pick: (count: (typeof appends)[number]) => number) => appends.reduce((all, one) => all + pick(one), 0);
  return {
    perS: total / tookS,
    conflictsPerS: sum(({ conflict }) => conflict) / tookS,
    batch:
      total /
      Math.max(
        1,
        sum(({ appended }) => appended),
      ),
  };
}

async function writeUntil(deadlineMs: number, target: ReturnType<typeof targetOf>, flag: string): Promise<number> {
  const connection = new Connection(target);
  const requests = [switchRequest(target, flag, 'on'), switchRequest(target, flag, 'off')];
  try {
    let count = 0;
    for (; performance.now() < deadlineMs; count++) {
      const { status } = await connection.ask(requests[count % 2] as Buffer);
      if (status !== 200) throw new Error(`a write was answered ${status}`);
    }
    return count;
  } finally {
    connection.close();
  }
}
