import { type Asker, AskerEnded, assertAsked, SharedAsker } from './asker.ts';

/** Work that runs once for all who ask for it at the same time. It ends with the last of them. */
export class SharedWork<T> {
  #running: { readonly asker: SharedAsker; readonly result: Promise<T> } | undefined;

  /**
   * The result of the running work, or of new work that `begin` begins, which counts toward the share of `holder`.
   * @throws AskerEnded if the asker has ended
   */
  async ask(asker: Asker, begin: (asker: Asker) => Promise<T>, holder = ''): Promise<T> {
    for (;;) {
      assertAsked(asker);
      const running = this.#running ?? this.#begin(begin, holder);
      running.asker.join(asker);
      try {
        return await running.result;
      } catch (error) {
        // The work ended with its askers just before this one joined: it begins again.
        if (!(error instanceof AskerEnded)) throw error;
      }
    }
  }

  #begin(
    begin: (asker: Asker) => Promise<T>,
    holder: string,
  ): { readonly asker: SharedAsker; readonly result: Promise<T> } {
    const asker = new SharedAsker(holder);
    const result = begin(asker).finally(() => {
      if (this.#running?.asker === asker) this.#running = undefined;
    });
    this.#running = { asker, result };
    return this.#running;
  }
}
