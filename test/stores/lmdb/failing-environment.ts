import { LmdbEnvironment } from '../../../src/stores/lmdb/lmdb-environment.ts';

/** An environment whose commits fail on demand, after LMDB's own work or instead of it. */
export class FailingEnvironment extends LmdbEnvironment {
  fault: Error | null = null;
  /** Called before each commit with the number of the commits before it. */
  beforeCommit: (commitsBefore: number) => Promise<void> = async () => {};
  #commits = 0;

  protected override async commit(transaction: () => Promise<boolean>): Promise<boolean> {
    await this.beforeCommit(this.#commits++);
    if (this.fault) throw this.fault;
    return transaction();
  }
}

/** An error as lmdb-js reports it: with the number of the system's error. */
export const failure = (message: string, code: number) => Object.assign(new Error(message), { code });
