import type { Services } from '../services.ts';

type Label = Readonly<Record<string, string>>;

/** One metric of a scrape, with the function that reads its value. */
export interface Gauge {
  /** The name begins with `burgee_`, unless Unleash has the same metric. It ends with the unit, if any; the name of a counter ends with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  /**
   * Returns a number, or a number for each set of labels, or undefined if the metric is left out. It must be cheap: it is called at every scrape.
   */
  read(services: Services): number | undefined | readonly (readonly [Label, number])[];
}

type Read = Gauge['read'];

export function gauge(name: string, help: string, read: Read): Gauge {
  return { name, help, type: 'gauge', read };
}

export function counter(name: string, help: string, read: Read): Gauge {
  return { name, help, type: 'counter', read };
}

declare module '../services.ts' {
  interface FeatureParts {
    /** The metrics of all features. */
    readonly gauges: readonly Gauge[];
  }
}
