import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import type { Logger } from '../../base/logger.ts';
import { validate } from '../../base/validation.ts';
import { openPrivateFile } from '../../stores/local/private-files.ts';
import { temporaryPath } from '../../stores/local/temporary-file.ts';
import type { ReportBatch } from './report-batch.ts';

const NAME = 'unsent-reports.json';

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

/** What could not be sent upstream before a stop, for the next process. */
export class UnsentFile {
  readonly #path: string;
  readonly #logger: Logger;

  constructor(directory: string, logger: Logger) {
    this.#path = join(directory, NAME);
    this.#logger = logger;
  }

  /** What an earlier process left. The file goes: another crash must not have it sent twice. */
  async read(): Promise<ReportBatch[]> {
    try {
      const content: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      await rm(this.#path, { force: true });
      if (!validate(Content, content, 'file')) return [...(content as { parcels: ReportBatch[] }).parcels];
      this.#logger.warn({ file: this.#path }, 'the reports that were left in a file cannot be read: they are given up');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#logger.warn({ err: error, file: this.#path }, 'the reports that were left in a file cannot be read');
    }
    return [];
  }

  /** Never rejects: a stop goes on without it. */
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
      this.#logger.error({ err: error }, 'reports that upstream did not take could not be kept');
    }
  }
}
