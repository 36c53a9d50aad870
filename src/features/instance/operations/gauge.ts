import type { Services } from '../../services.ts';

type Label = Readonly<Record<string, string>>;

/** One metric of a scrape, and how its value is read. */
export interface Gauge {
  /** Begins with `burgee_`, except names that Unleash has. Ends with the unit, and the name of a counter with `_total` after that. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  /** A number, or one for each set of labels. Undefined: the metric is left out. Must be cheap, because it is read at every scrape. */
  read(services: Services): number | undefined | readonly (readonly [Label, number])[];
}
