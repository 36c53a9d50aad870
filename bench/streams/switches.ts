import { Connection, targetOf } from '../support/connection.ts';
import { switchRequest } from '../support/paths.ts';

/** Writes one after the other. Each switches a flag, and every stream is sent the change. */
export class Switches {
  readonly #target: ReturnType<typeof targetOf>;
  readonly #connection: Connection;
  readonly #on = new Set<string>();

  constructor(url: string) {
    this.#target = targetOf(url);
    this.#connection = new Connection(this.#target);
  }

  async next(flag: string): Promise<void> {
    if (!this.#on.delete(flag)) this.#on.add(flag);
    const request = switchRequest(this.#target, flag, this.#on.has(flag) ? 'on' : 'off');
    const { status } = await this.#connection.ask(request);
    if (status !== 200) throw new Error(`a write was answered ${status}`);
  }

  close(): void {
    this.#connection.close();
  }
}
