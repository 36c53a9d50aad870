import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import { systemCaller } from '../model/caller.ts';
import { type GivenUp, toldMark } from '../model/surplus-mark.ts';
import type { LogPosition } from '../stores/lineage.ts';
import { tellSurplus } from './surplus-commands.ts';
import { isSurplusFile, readSurplusHead } from './surplus-file.ts';
import type { Writer } from './writer.ts';

/** Between two tries while writes are refused. */
const RETRY_MS = 1_000;

interface SurplusTellerParts {
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where surplus files are. */
  readonly directory: string;
  /** Where this replica stands. */
  readonly position: () => LogPosition;
}

/**
 * Has an audit event committed for commits that this replica gave up, as soon as it can write. The files are the list of what is to be told, and
 * the state knows what was: so a process that ends in between tells it when it is started again, and nobody tells it twice.
 */
export class SurplusTeller {
  readonly #parts: SurplusTellerParts;
  readonly #closing = new AbortController();
  readonly #untold = new Map<string, GivenUp>();
  #isStarted = false;
  #working: Promise<void> | undefined;

  constructor(parts: SurplusTellerParts) {
    this.#parts = parts;
  }

  /** This replica gave up commits just now. */
  given(given: GivenUp): void {
    this.#untold.set(toldMark(given), given);
    if (this.#isStarted) this.#working ??= this.#work();
  }

  /** From now on this process may write. */
  start(): void {
    this.#isStarted = true;
    this.#working ??= this.#gather().then(() => this.#work());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  /** What was given up before this process began. */
  async #gather(): Promise<void> {
    const { directory, logger, position } = this.#parts;
    const names = await readdir(directory).catch(() => []);
    for (const file of names.filter(isSurplusFile)) {
      const head = await readSurplusHead(join(directory, file)).catch(() => null);
      if (!head) {
        logger.warn({ directory, file }, 'this is not the file of a surplus');
        continue;
      }
      const { epoch, writeId, fromSeq, throughSeq } = head;
      // Written down, and then kept after all: the server lost what it would have been given up for.
      if (isOn(position(), epoch, throughSeq)) continue;
      const given = { epoch, writeId, fromSeq, throughSeq, file };
      this.#untold.set(toldMark(given), given);
    }
  }

  async #work(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#closing;
    while (this.#untold.size > 0 && !signal.aborted) {
      for (const [id, given] of [...this.#untold]) if (await this.#tell(given)) this.#untold.delete(id);
      if (this.#untold.size > 0) await clock.sleep(RETRY_MS, signal);
    }
    this.#working = undefined;
  }

  async #tell(given: GivenUp): Promise<boolean> {
    const { writer, logger } = this.#parts;
    try {
      const outcome = await writer.submit(tellSurplus, given, systemCaller());
      if (!(outcome instanceof Rejection)) return true;
      logger.debug({ ...given, reason: outcome.message }, 'that commits were given up cannot be told yet');
    } catch (error) {
      logger.error({ err: error, ...given }, 'that commits were given up could not be told');
    }
    return false;
  }
}

/** Whether the line holds the entry `seq` of the epoch. */
function isOn(line: LogPosition, epoch: string, seq: number): boolean {
  return [line, ...line.ancestors].some((branch) => branch.epoch === epoch && branch.seq >= seq);
}
