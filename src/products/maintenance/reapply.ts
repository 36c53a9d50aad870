import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { recover } from '../../engine/replica.ts';
import { Writer } from '../../engine/writer.ts';
import { loadGuards } from '../../features/guards.ts';
import { type Limits, limitEntries } from '../../model/limits.ts';
import { State } from '../../state/state.ts';
import type { Store } from '../../stores/store.ts';
import { ProgramError } from '../program/subcommand.ts';
import { changeText, quoted } from './change-text.ts';
import { type DivergentCommit, type DivergentFile, readDivergentFile } from './divergent-file.ts';
import { describeLocation, type Location } from './location.ts';
import { isTokenUse, reapplyCommit } from './reapply-commit.ts';
import { existingStore, withLocationInErrors } from './source.ts';

/** Every limit at its maximum: a commit that clients know as successful must not be refused because of a limit. */
const limitsMax = () => Object.fromEntries(limitEntries().map(([name, { max }]) => [name, max])) as Limits;

/** A dry run changes the state in this process and appends nothing. */
const DRY_RUN_STORE: Pick<Store, 'append'> = { append: async () => ({ status: 'appended' }) };

interface ReapplyOptions {
  /** The store that the commits must fit. Null if only the content of the file is shown. */
  readonly to: Exclude<Location, { kind: 'file' }> | null;
  /** Whether the commits that fit are applied. If false, the command only shows which commits fit. */
  readonly isApplied: boolean;
  readonly keyPrefix: string;
}

type Outcome = 'applied' | 'already' | Rejection;

/**
 * Shows the divergent commits of a file, and which of them fit the store `to`. With `isApplied`, it applies the commits that fit. Each of them is
 * appended as a new commit, so running replicas apply it as well. Resolves with the text to print.
 * @throws ProgramError, StoreError with a message for users
 */
export async function reapply(path: string, { to, isApplied, keyPrefix }: ReapplyOptions): Promise<string> {
  const file = await readDivergentFile(path);
  const { epoch, fromSeq, throughSeq, savedAt } = file.head;
  const title = `${path}: revisions ${fromSeq} to ${throughSeq} of epoch ${epoch}, dropped by the replica at ${savedAt}`;
  if (file.commits.length === 0) return `${title}\n\n${differencesText(file, isApplied)}\n`;
  const outcomes = to && (await applyAll(file, to, isApplied, keyPrefix));
  const words = { applied: isApplied ? 'applied again' : 'fits', already: 'was applied again before' };
  const outcomeLine = (commit: DivergentCommit) => {
    const outcome = outcomes?.get(commit);
    if (!outcome) return outcomes ? ['  → not needed: it changed only the times when tokens were last used'] : [];
    return [`  → ${outcome instanceof Rejection ? `does not fit: ${outcome.message}` : words[outcome]}`];
  };
  const texts = file.commits.map((commit) => [
    `revision ${commit.seq}, ${commit.at}, by ${quoted(commit.by.name)}`,
    ...commit.changes.map((change) => `  ${changeText(change)}`),
    ...outcomeLine(commit),
  ]);
  const end = outcomes
    ? summaryOf([...outcomes.values()], isApplied, describeLocation(to))
    : 'Use --to LOCATION to see which commits fit into that store, and --apply to apply these again.';
  return `${[[title], ...texts, [end]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

async function applyAll(
  { head, commits }: DivergentFile,
  to: Exclude<Location, { kind: 'file' }>,
  isApplied: boolean,
  keyPrefix: string,
): Promise<Map<DivergentCommit, Outcome>> {
  const store = await existingStore(to, keyPrefix);
  try {
    const opening = await store.open();
    const replica = await withLocationInErrors(describeLocation(to), () =>
      recover(store, opening, new State(), silentLogger),
    );
    const rules = { guards: await loadGuards(), limits: limitsMax() };
    const writer = new Writer(replica, isApplied ? store : DRY_RUN_STORE, systemClock, silentLogger, rules);
    const outcomes = new Map<DivergentCommit, Outcome>();
    for (const commit of commits) {
      if (isTokenUse(commit)) continue;
      const outcome = await writer.submit(reapplyCommit, { epoch: head.epoch, commit }, commit.by);
      if (outcome instanceof Rejection && outcome.name !== 'NameExistsError') {
        const done = countOf([...outcomes.values()], 'applied');
        const reason = `at revision ${commit.seq}: ${outcome.message}`;
        throw new ProgramError(
          `${done} commits were applied again. Then the command stopped ${reason} Run it again: no commit is applied twice`,
        );
      }
      outcomes.set(commit, outcome instanceof Rejection ? outcome : outcome.value);
    }
    await writer.close();
    return outcomes;
  } finally {
    await store.close();
  }
}

function differencesText({ differences }: DivergentFile, isApplied: boolean): string {
  const why =
    'The file contains differences of two states, not commits, so they cannot be applied. Make the wanted changes by hand.';
  if (isApplied) throw new ProgramError(`nothing was applied again. ${why}`);
  const lines = differences.map((difference) => `  ${changeText(difference)}`);
  return `The state of the replica, compared with the state of Redis:\n${lines.join('\n')}\n\n${why}`;
}

function summaryOf(outcomes: readonly Outcome[], isApplied: boolean, where: string): string {
  const applied = countOf(outcomes, 'applied');
  const already = countOf(outcomes, 'already');
  const done = isApplied
    ? `${applied} applied again in ${where}`
    : `${applied} would fit ${where}; nothing was changed`;
  return `${done}, ${already} applied again before, ${outcomes.length - applied - already} do not fit.`;
}

function countOf(outcomes: readonly Outcome[], wanted: Outcome): number {
  return outcomes.filter((outcome) => outcome === wanted).length;
}
