import type { Feature } from '../../src/model/feature.ts';
import { Connection, targetOf } from './connection.ts';
import { switchRequest } from './paths.ts';
import { SeededRandom } from './random.ts';

const CONNECTIONS = 8;

interface Changes {
  /** Stops the changes. Resolves with the number of acknowledged changes a second. @throws Error when one failed */
  stop(): Promise<number>;
}

/**
 * Switches random flags in the environment `development`, `perS` a second, until it is stopped. Every switch is a change that clients see: `isOn` keeps the
 * position of each flag between runs.
 */
export function startChanges(url: string, isOn: Map<string, boolean>, perS: number): Changes {
  const target = targetOf(url);
  const random = new SeededRandom(perS);
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(target));
  const flags = [...isOn.keys()];
  const startedMs = performance.now();
  let [stopped, begun, done] = [false, 0, 0];

  const change = async (connection: Connection) => {
    begun++;
    const flag = random.pick(flags);
    const on = !isOn.get(flag);
    isOn.set(flag, on);
    const { status } = await connection.ask(switchRequest(target, flag, on ? 'on' : 'off'));
    if (status !== 200) throw new Error(`a change was answered ${status}`);
    done++;
  };
  const run = async (connection: Connection) => {
    while (!stopped) {
      const due = ((performance.now() - startedMs) / 1000) * perS;
      if (begun < due) await change(connection);
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const running = Promise.all(connections.map(run));
  running.catch(() => {});
  return {
    async stop() {
      stopped = true;
      try {
        await running;
      } finally {
        for (const connection of connections) connection.close();
      }
      return (done / (performance.now() - startedMs)) * 1000;
    },
  };
}

/** Whether each flag is on in `development` when it is made, by name. */
export function positionsOf(features: readonly Feature[]): Map<string, boolean> {
  return new Map(
    features.map(({ name, environments }) => [
      name,
      environments.some(({ environment, enabled }) => environment === 'development' && enabled),
    ]),
  );
}
