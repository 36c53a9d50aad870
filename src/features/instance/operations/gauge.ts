import type { Services } from '../../services.ts';

type Label = Readonly<Record<string, string>>;

/** One name in what a scrape is answered, with how it is read. */
export interface Gauge {
  /** Begins with `burgee_`, but for names that users of Unleash know; a counter's ends with `_total`, a unit stands before that. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  /** A number, or one for each set of labels. Nothing: it is left out. Cheap: it is read at every scrape. */
  read(services: Services): number | undefined | readonly (readonly [Label, number])[];
}
