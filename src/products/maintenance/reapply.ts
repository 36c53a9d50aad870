import { isoTime, systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { atOnce } from '../../base/yield-control.ts';
import { decide } from '../../engine/decision.ts';
import { type Replica, recover } from '../../engine/replica.ts';
import { Writer } from '../../engine/writer.ts';
import { loadGuards } from '../../features/guards.ts';
import { systemCaller } from '../../model/caller.ts';
import { allLimits, type Limits } from '../../model/limits.ts';
import { State } from '../../state/state.ts';
import type { Store } from '../../stores/store.ts';
import { describePlace, type Place } from './place.ts';
import { isUse, misfitOf, reapplyCommit } from './reapply-commit.ts';
import { openStore, understood } from './source.ts';
import { readSurplus, type SurplusCommit, type SurplusContent } from './surplus-content.ts';
import { changeWords, commitWords } from './surplus-words.ts';
import { TransferError } from './transfer-error.ts';

/** What was acknowledged once is not refused for want of what was allowed then: the most that anybody may allow. */
const WIDEST = Object.fromEntries(
  Object.entries(allLimits()).map(([name, { max }]) => [name, max]),
) as unknown as Limits;

interface ReapplyOptions {
  /** Where to. Null: the file is shown, and nothing else. */
  readonly to: Exclude<Place, { kind: 'file' }> | null;
  /** Make the changes, instead of telling which of them fit. */
  readonly isMeant: boolean;
  readonly keyPrefix: string;
}

/** How one commit came out. */
type Outcome = 'applied' | 'already' | Rejection;

/**
 * Shows the commits of a file that a replica gave up, and whether each fits what the place holds now; makes those that fit again, when that is meant.
 * Each is a commit of its own, appended as any other: replicas that run take it from there. Resolves with what to print.
 * @throws TransferError, StoreError with a message for people
 */
export async function reapply(path: string, options: ReapplyOptions): Promise<string> {
  const content = await readSurplus(path);
  if (content.commits.length === 0) return shownDifferences(path, content, options);
  const { to, isMeant } = options;
  if (!to)
    return report(
      path,
      content,
      () => '',
      'Say --to PLACE to see which of them fit there, and --apply to make these again.',
    );
  const store = await openStore(to, options.keyPrefix);
  try {
    const opening = await store.open();
    const replica = await understood(describePlace(to), () => recover(store, opening, new State(), silentLogger));
    const outcomes = isMeant ? await applyAll(content, store, replica) : await tryAll(content, replica.state);
    const words = { applied: isMeant ? 'made again' : 'fits', already: 'was made again before' };
    const told = (commit: SurplusCommit) => {
      const outcome = outcomes.get(commit);
      if (!outcome) return 'not needed: it noted when tokens were used';
      return outcome instanceof Rejection ? `does not fit: ${outcome.message}` : words[outcome];
    };
    return report(path, content, told, summaryOf([...outcomes.values()], isMeant, describePlace(to)));
  } finally {
    await store.close();
  }
}

/** What would come of them, one after the other. */
async function tryAll({ head, commits }: SurplusContent, state: State): Promise<Map<SurplusCommit, Outcome>> {
  const guards = await loadGuards();
  const meant = commits.filter((commit) => !isUse(commit));
  const orders = meant.map((commit) => ({
    command: reapplyCommit,
    input: { epoch: head.epoch, commit },
    caller: systemCaller(commit.by),
  }));
  const { outcomes } = atOnce(decide(orders, state, isoTime(systemClock.nowMs()), { guards, limits: WIDEST }));
  return new Map(
    meant.map((commit, index) => {
      const outcome = outcomes[index];
      if (outcome?.kind === 'accepted') return [commit, outcome.value as Outcome];
      if (outcome?.kind === 'rejected') return [commit, outcome.rejection];
      throw outcome?.error;
    }),
  );
}

async function applyAll(
  { head, commits }: SurplusContent,
  store: Store,
  replica: Replica,
): Promise<Map<SurplusCommit, Outcome>> {
  const writer = new Writer(replica, store, systemClock, silentLogger, { guards: await loadGuards(), limits: WIDEST });
  const outcomes = new Map<SurplusCommit, Outcome>();
  for (const commit of commits) {
    if (isUse(commit)) continue;
    const outcome = await writer.submit(reapplyCommit, { epoch: head.epoch, commit }, commit.by);
    if (outcome instanceof Rejection && misfitOf(outcome) === null) {
      const applied = [...outcomes.values()].filter((earlier) => earlier === 'applied').length;
      throw new TransferError(
        `${applied} commits were made again; then, at revision ${commit.seq}: ${outcome.message} Try again: nothing is made twice`,
      );
    }
    outcomes.set(commit, outcome instanceof Rejection ? outcome : outcome.value);
  }
  await writer.close();
  return outcomes;
}

function report(
  path: string,
  { head, commits }: SurplusContent,
  told: (commit: SurplusCommit) => string,
  end: string,
): string {
  const lines = [headLine(path, head)];
  for (const commit of commits) {
    lines.push('', ...commitWords(commit));
    const outcome = told(commit);
    if (outcome !== '') lines.push(`  → ${outcome}`);
  }
  return `${lines.join('\n')}\n\n${end}\n`;
}

function shownDifferences(path: string, { head, differences }: SurplusContent, { isMeant }: ReapplyOptions): string {
  const why =
    'These are differences of two states, not commits: what each side did cannot be told from them. Make again by hand what is wanted.';
  if (isMeant) throw new TransferError(`nothing was made again. ${why}`);
  const lines = differences.map((difference) => `  ${changeWords(difference)}`);
  return `${headLine(path, head)}\n\nAs this replica had it, compared with what counts:\n${lines.join('\n')}\n\n${why}\n`;
}

function headLine(path: string, { epoch, fromSeq, throughSeq, savedAt }: SurplusContent['head']): string {
  return `${path}: revisions ${fromSeq} to ${throughSeq} of epoch ${epoch}, given up at ${savedAt}`;
}

function summaryOf(outcomes: readonly Outcome[], isMeant: boolean, where: string): string {
  const count = (wanted: (outcome: Outcome) => boolean) => outcomes.filter(wanted).length;
  const applied = count((outcome) => outcome === 'applied');
  const already = count((outcome) => outcome === 'already');
  const misfits = count((outcome) => outcome instanceof Rejection);
  const done = isMeant ? `${applied} made again in ${where}` : `${applied} would fit ${where}; nothing was changed`;
  return `${done}, ${already} made again before, ${misfits} do not fit.`;
}
