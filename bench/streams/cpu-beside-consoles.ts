import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature } from '../../src/model/feature.ts';
import { inTurn } from '../support/in-turn.ts';
import { aside, atMost, type Figure, median, milliseconds } from '../support/report.ts';
import { type Process, startSeededService } from '../support/service.ts';
import { putPeople } from './people-looking.ts';
import { besideConsoles } from './polls-beside-consoles.ts';
import { Switches } from './switches.ts';

const CONSOLES = 50;
/** An open console reads at most once a second, and up to 100 ms after the change. */
const CHANGE_EVERY_MS = 1_600;
const WARM_UP_CHANGES = 3;
const CHANGES = 6;

/** The processor time of a change beside 50 open consoles, against the same service without them, in alternating blocks. */
export async function measureCpuBesideConsoles(features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const [flag = ''] = features.map(({ name }) => name);
  const service = await startSeededService(features, { more: [putPeople(CONSOLES)] });
  const switches = new Switches(service.url);
  const change = () => cpuOfChange(service, switches, flag);
  const beside = (screens: string) => () => besideConsoles(service, { flag, screens, count: CONSOLES }, change);
  const ways = { home: beside('list,home'), list: beside('list'), flag: beside('flag'), alone: change };
  try {
    await inTurn(1, ways);
    const measured = await inTurn(rounds, ways);
    const figureOf = (screens: 'home' | 'list' | 'flag', shown: string) => {
      const more = measured.map((round) => round[screens] - round.alone);
      return {
        name: `CPU of a change, ms: beside ${CONSOLES} consoles, ${shown}, minus without them (${Math.min(...more).toFixed(1)} to ${Math.max(...more).toFixed(1)})`,
        ours: milliseconds(median(measured.map((round) => round[screens]))),
        floor: milliseconds(median(measured.map(({ alone }) => alone))),
        ratio: median(more),
      };
    };
    return [
      atMost(20, figureOf('home', 'half with the list of flags and half with home')),
      aside(figureOf('list', 'all with the list, which requests nothing')),
      aside(figureOf('flag', 'all with the flag that changes')),
    ];
  } finally {
    switches.close();
    await service.end();
  }
}

/** Milliseconds of processor time, with what the service does until the next change. */
async function cpuOfChange(service: Process, switches: Switches, flag: string): Promise<number> {
  const changes = async (count: number) => {
    for (let left = count; left > 0; left--) {
      await switches.next(flag);
      await sleep(CHANGE_EVERY_MS);
    }
  };
  await changes(WARM_UP_CHANGES);
  const beforeS = service.cpuS();
  await changes(CHANGES);
  return ((service.cpuS() - beforeS) * 1000) / CHANGES;
}
