import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { recover } from '../../engine/replica.ts';
import { Writer } from '../../engine/writer.ts';
import { loadGuards } from '../../features/guards.ts';
import { type Limits, limitEntries } from '../../model/limits.ts';
import { State } from '../../state/state.ts';
import type { Store } from '../../stores/store.ts';
import { changeText, quoted } from './change-text.ts';
import { type DivergentCommit, type DivergentFile, readDivergentFile } from './divergent-file.ts';
import { describeLocation, type Location } from './location.ts';
import { isTokenUse, reapplyCommit } from './reapply-commit.ts';
import { openStore, understood } from './source.ts';
import { TransferError } from './transfer-error.ts';

/** Every limit at its maximum: a commit that was acknowledged once must not be refused because of a limit. */
const limitsMax = () => Object.fromEntries(limitEntries().map(([name, { max }]) => [name, max])) as Limits;

/** A dry run changes the state in this process and appends nothing. */
const DRY: Pick<Store, 'append'> = { append: async () => ({ status: 'appended' }) };

interface ReapplyOptions {
  /** The store that the commits must fit. Null if only the content of the file is shown. */
  readonly to: Exclude<Location, { kind: 'file' }> | null;
  /** Whether the commits that fit are applied. False: the output only shows whether each commit fits. */
  readonly isMeant: boolean;
  readonly keyPrefix: string;
}

type Outcome = 'applied' | 'already' | Rejection;

/**
 * Shows the divergent commits of a file, and which of them fit the store `to`. With `isMeant`, it applies the commits that fit. Each of them is
 * appended as a new commit, so running replicas apply it as well. Resolves with the text to print.
 * @throws TransferError, StoreError with a message for users
 */
export async function reapply(path: string, { to, isMeant, keyPrefix }: ReapplyOptions): Promise<string> {
  const file = await readDivergentFile(path);
  const { epoch, fromSeq, throughSeq, savedAt } = file.head;
  const title = `${path}: revisions ${fromSeq} to ${throughSeq} of epoch ${epoch}, given up at ${savedAt}`;
  if (file.commits.length === 0) return `${title}\n\n${differencesText(file, isMeant)}\n`;
  const outcomes = to && (await applyAll(file, to, isMeant, keyPrefix));
  const words = { applied: isMeant ? 'applied again' : 'fits', already: 'was applied again before' };
  const outcomeLine = (commit: DivergentCommit) => {
    const outcome = outcomes?.get(commit);
    if (!outcome) return outcomes ? ['  → not needed: it noted when tokens were used'] : [];
    return [`  → ${outcome instanceof Rejection ? `does not fit: ${outcome.message}` : words[outcome]}`];
  };
  const texts = file.commits.map((commit) => [
    `revision ${commit.seq}, ${commit.at}, by ${quoted(commit.by.name)}`,
    ...commit.changes.map((change) => `  ${changeText(change)}`),
    ...outcomeLine(commit),
  ]);
  const end = outcomes
    ? summaryOf([...outcomes.values()], isMeant, describeLocation(to))
    : 'Say --to PLACE to see which of them fit there, and --apply to apply these again.';
  return `${[[title], ...texts, [end]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

async function applyAll(
  { head, commits }: DivergentFile,
  to: Exclude<Location, { kind: 'file' }>,
  isMeant: boolean,
  keyPrefix: string,
): Promise<Map<DivergentCommit, Outcome>> {
  const store = await openStore(to, keyPrefix);
  try {
    const opening = await store.open();
    const replica = await understood(describeLocation(to), () => recover(store, opening, new State(), silentLogger));
    const rules = { guards: await loadGuards(), limits: limitsMax() };
    const writer = new Writer(replica, isMeant ? store : DRY, systemClock, silentLogger, rules);
    const outcomes = new Map<DivergentCommit, Outcome>();
    for (const commit of commits) {
      if (isTokenUse(commit)) continue;
      const outcome = await writer.submit(reapplyCommit, { epoch: head.epoch, commit }, commit.by);
      if (outcome instanceof Rejection && outcome.name !== 'NameExistsError') {
        const done = countOf([...outcomes.values()], 'applied');
        const reason = `at revision ${commit.seq}: ${outcome.message}`;
        throw new TransferError(
          `${done} commits were applied again; then, ${reason} Try again: nothing is applied twice`,
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

function differencesText({ differences }: DivergentFile, isMeant: boolean): string {
  const why =
    'These are differences of two states, not commits: they do not show what each side did. Make the wanted changes by hand.';
  if (isMeant) throw new TransferError(`nothing was applied again. ${why}`);
  const lines = differences.map((difference) => `  ${changeText(difference)}`);
  return `The state of this replica, compared with that of Redis:\n${lines.join('\n')}\n\n${why}`;
}

function summaryOf(outcomes: readonly Outcome[], isMeant: boolean, where: string): string {
  const applied = countOf(outcomes, 'applied');
  const already = countOf(outcomes, 'already');
  const done = isMeant ? `${applied} applied again in ${where}` : `${applied} would fit ${where}; nothing was changed`;
  return `${done}, ${already} applied again before, ${outcomes.length - applied - already} do not fit.`;
}

function countOf(outcomes: readonly Outcome[], wanted: Outcome): number {
  return outcomes.filter((outcome) => outcome === wanted).length;
}
