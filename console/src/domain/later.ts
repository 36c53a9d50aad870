import { HOUR_MS } from './milliseconds.ts';

export type LaterName = 'hour' | 'tonight' | 'tomorrow' | 'monday';

export interface LaterTime {
  readonly name: LaterName;
  readonly at: Date;
}

const [EVENING, MORNING, MONDAY] = [20, 9, 1];

/** At this hour of the day that is so many days later, in the zone of the browser. */
const at = (now: Date, days: number, hour: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);

/** The times that are offered for a change that is made later: those to come, each once. */
export function laterTimes(now: Date): readonly LaterTime[] {
  const toMonday = (MONDAY + 7 - now.getDay()) % 7 || 7;
  const times: LaterTime[] = [
    { name: 'hour', at: new Date(now.getTime() + HOUR_MS) },
    { name: 'tonight', at: at(now, 0, EVENING) },
    { name: 'tomorrow', at: at(now, 1, MORNING) },
    { name: 'monday', at: at(now, toMonday, MORNING) },
  ];
  return times.filter((one) => one.at > now && (one.name !== 'monday' || toMonday > 1));
}
