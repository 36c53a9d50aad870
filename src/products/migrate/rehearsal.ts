import { SERVICE } from '../../base/asking/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { Decidable } from '../../engine/command.ts';
import { decide } from '../../engine/decision.ts';
import { loadGuards } from '../../features/guards.ts';
import { takeOver } from '../../features/import-export/instance/commands.ts';
import { InstanceImportInput } from '../../features/import-export/instance/input.ts';
import { bootstrap } from '../../features/instance/bootstrap.ts';
import { type Caller, systemCaller } from '../../model/caller.ts';
import type { Limits } from '../../model/limits.ts';
import { ADMIN_TOKEN_USER_ID } from '../../model/primitives.ts';
import { State } from '../../state/state.ts';
import { requestOf } from './batches.ts';
import type { ImportBatch } from './importer.ts';

const ADMIN: Caller = { ...systemCaller({ id: ADMIN_TOKEN_USER_ID, name: 'migrate' }), kind: 'admin' };

/**
 * An instance that exists only in the memory of this process, for `--dry-run`. It begins with the content of a new instance and runs the same
 * commands as a service, so an import has the same result as into a new instance.
 */
export class Rehearsal {
  readonly #state = new State();
  readonly #limits: Limits;
  readonly #nowIso: () => string;

  private constructor(limits: Limits, nowIso: () => string) {
    this.#limits = limits;
    this.#nowIso = nowIso;
  }

  static async begin(limits: Limits, nowIso: () => string): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(limits, nowIso);
    await rehearsal.#apply(bootstrap, {}, systemCaller());
    return rehearsal;
  }

  readonly importBatch: ImportBatch = async (batch, holdings) => {
    const input = requestOf(batch, holdings);
    const problem = await validateLarge(InstanceImportInput, input, 'body', Slicer.of(SERVICE));
    if (problem instanceof Rejection) return { refusal: problem.message };
    const outcome = await this.#apply(takeOver, input, ADMIN);
    if (outcome instanceof Rejection) return { refusal: outcome.message };
    return { items: [...outcome.items], unchanged: outcome.unchanged };
  };

  async #apply<Input, Output>(
    command: Decidable<Input, Output>,
    input: Input,
    caller: Caller,
  ): Promise<Output | Rejection> {
    const order = { command: command as Decidable<unknown, unknown>, input, caller };
    const { outcomes, commits } = await inSlices(
      decide([order], this.#state, this.#nowIso(), { guards: await loadGuards(), limits: this.#limits }),
      Slicer.of(SERVICE),
    );
    const [outcome] = outcomes;
    if (outcome?.kind === 'failed') throw outcome.error;
    if (outcome?.kind !== 'accepted') return outcome?.rejection as Rejection;
    for (const commit of commits) this.#state.apply(commit);
    return outcome.value as Output;
  }
}
