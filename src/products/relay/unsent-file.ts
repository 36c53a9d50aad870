import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import type { Logger } from '../../base/logger.ts';
import { validate } from '../../base/validation.ts';
import { openPrivateFile } from '../../stores/local/private-files.ts';
import { temporaryPath } from '../../stores/local/temporary-file.ts';
import type { ReportBatch } from './report-batch.ts';

const NAME = 'unsent-reports.json';

/** The name `parcels` of the batches does not change, because files of earlier versions have it. */
const Content = Type.Object({
  format: Type.Literal(1),
  parcels: Type.Array(
    Type.Object({
      id: Type.String(),
      environment: Type.String(),
      projects: Type.Array(Type.String()),
      body: Type.String(),
    }),
  ),
});

/** Stores reports that could not be sent upstream before a stop, for the next process. */
export class UnsentFile {
  readonly #path: string;
  readonly #logger: Logger;

  constructor(directory: string, logger: Logger) {
    this.#path = join(directory, NAME);
    this.#logger = logger;
  }

  /**
   * Reads the reports of an earlier process and deletes the file, so that the reports are not sent twice after a crash. A file that cannot be read gets
   * another name, because there is no other copy of these reports.
   */
  async read(): Promise<ReportBatch[]> {
    try {
      const content: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      const problem = validate(Content, content, 'file');
      if (problem) throw new Error(problem.message);
      await rm(this.#path, { force: true });
      return [...(content as { parcels: ReportBatch[] }).parcels];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') await this.#setAside(error);
      return [];
    }
  }

  async #setAside(reason: unknown): Promise<void> {
    const file = `${this.#path}.${randomUUID()}.damaged`;
    const isMoved = await rename(this.#path, file).then(
      () => true,
      () => false,
    );
    this.#logger.warn(
      { err: reason, file: isMoved ? file : this.#path },
      'the file of unsent reports cannot be read: it is kept, and its reports are not sent',
    );
  }

  /** Writes the batches. Never rejects, because an error must not prevent the stop. */
  async write(batches: readonly ReportBatch[]): Promise<void> {
    if (batches.length === 0) return;
    const path = temporaryPath(this.#path);
    try {
      const file = await openPrivateFile(path);
      await file.writeFile(JSON.stringify({ format: 1, parcels: batches }));
      await file.sync();
      await file.close();
      await rename(path, this.#path);
    } catch (error) {
      this.#logger.error({ err: error }, 'reports that upstream did not accept could not be stored');
    }
  }
}
