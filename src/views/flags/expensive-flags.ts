import type { Logger } from '../../base/logger.ts';
import type { CompiledFlag } from '../../evaluation/compile.ts';
import { worstCost } from '../../evaluation/cost.ts';

/** Maximum number of flags that are named in the log. */
const NAMED_MAX = 100;

/** A flag may cost so many times the limit. The cost of a compiled flag is up to a quarter more than what the limit counts. */
const TOLERANCE = 2;

/**
 * Warns of flags that cost much more than the limit for stored flags allows: an evaluation does not pause inside a flag. A server refuses such flags,
 * but a relay gets its flags from a source that may have no such limit.
 */
export class ExpensiveFlags {
  readonly #limitUs: number;
  readonly #logger: Logger;
  /** Environment and name of each flag that was logged. */
  readonly #named = new Set<string>();
  #isCut = false;

  /** `limitUs`: the limit `evaluationCost`. */
  constructor(limitUs: number, logger: Logger) {
    this.#limitUs = limitUs;
    this.#logger = logger;
  }

  /** Logs the flag if it is too expensive. It is logged again only after a cheaper definition of it was compiled. */
  check(flag: CompiledFlag, environment: string): void {
    const costUs = worstCost({ fixed: flag.cost, perChar: flag.costPerChar });
    const isCheap = costUs <= TOLERANCE * this.#limitUs;
    if (isCheap && this.#named.size === 0) return;
    const key = JSON.stringify([environment, flag.name]);
    if (isCheap) this.#named.delete(key);
    else if (this.#named.size < NAMED_MAX) this.#warn(flag.name, environment, costUs, key);
    else if (!this.#isCut) {
      this.#isCut = true;
      this.#logger.warn({ named: NAMED_MAX }, 'more flags may take too long to evaluate; they are not named');
    }
  }

  #warn(flag: string, environment: string, costUs: number, key: string): void {
    if (this.#named.has(key)) return;
    this.#named.add(key);
    this.#logger.warn(
      { flag, environment, limitUs: this.#limitUs, costUs: Math.ceil(costUs) },
      'a flag may take too long to evaluate: all other requests wait meanwhile. Use fewer or shorter conditions',
    );
  }
}
