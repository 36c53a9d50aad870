import Type from 'typebox';
import { notAllowed, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command, decideInSteps, longCommand } from '../../../engine/command.ts';
import type { StateReader } from '../../../state/collections.ts';
import { switchFeatures } from '../../flags/environments/switch-features.ts';
import { pauseOnlyReleasePlan, startMilestoneByName } from '../../release-plans/plans/commands.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import { ActionRun, type RunAction, switchKey } from './action-set.ts';

/** Later than this after its signal, an action is not made: the cause of the signal may have ended. */
const EXPIRY_MS = 3_600_000;
export const LOOP_WINDOW_MS = 600_000;
const DETAILS_LENGTH_MAX = 1_000;

/** `index`: position of the action in the execution. */
const RunPosition = { run: ActionRun.properties.id, index: Type.Integer({ minimum: 0 }) };

/** The action that an execution makes next; undefined if all are made, or one has failed. */
export function nextAction({
  state,
  actions,
}: ActionRun): { readonly index: number; readonly action: RunAction } | undefined {
  const index = state === 'started' ? actions.findIndex((action) => action.state === 'started') : -1;
  const action = actions[index];
  return action && { index, action };
}

/**
 * Makes one action, and records its outcome, in one commit. The caller is the service account. Every replica may submit this command: the draft
 * decides whether the action still waits, so only the first submission has an effect. If it is refused, nothing is recorded: see
 * `recordActionFailure`.
 */
export const runAction = longCommand({
  name: 'run-action',
  input: Type.Object(RunPosition),
  *decide(context, { run: id, index }) {
    const { draft } = context;
    const run = draft.get('actionRuns', String(id));
    const next = run && nextAction(run);
    if (!run || next?.index !== index) return undefined;
    const problem = runProblem(context, run, next.action);
    if (problem) return problem;
    const { featureName } = next.action;
    const before = draft.get('features', featureName);
    const outcome = yield* make(context, run, next.action);
    if (outcome instanceof Rejection) return outcome;
    const isChange = draft.get('features', featureName) !== before;
    putOutcome(context, run, index, { state: 'success', details: detailsOf(next.action, isChange), isChange });
    return undefined;
  },
});

/** Makes the change of one action. */
function* make(
  context: CommandContext,
  { project, signalId }: ActionRun,
  { action, featureName, environment, milestone }: RunAction,
): Steps<unknown> {
  const location = { project, featureName, environment };
  switch (action) {
    case 'START_NEXT_MILESTONE':
      return startMilestoneByName.decide(context, { ...location, milestone: null });
    case 'START_MILESTONE':
      return startMilestoneByName.decide(context, { ...location, milestone: milestone ?? null });
    case 'PAUSE_RELEASE_PLAN':
      return pauseOnlyReleasePlan.decide(context, { ...location, reason: `Signal ${signalId}` });
    default: {
      const enabled = action === 'TOGGLE_FEATURE_ON';
      const input = { project, names: [featureName], environment, enabled, activateDisabledStrategies: false };
      return yield* decideInSteps(switchFeatures, context, input);
    }
  }
}

/** What happened, as a sentence for people. */
function detailsOf({ action, milestone }: RunAction, isChange: boolean): string {
  switch (action) {
    case 'START_NEXT_MILESTONE':
      return isChange ? 'The next milestone was started.' : 'The last milestone was active already.';
    case 'START_MILESTONE':
      return isChange ? `The milestone ${milestone} was started.` : `The milestone ${milestone} was active already.`;
    case 'PAUSE_RELEASE_PLAN':
      return isChange ? 'The release plan was paused.' : 'The release plan was paused already.';
    default: {
      const position = action === 'TOGGLE_FEATURE_ON' ? 'on' : 'off';
      return isChange ? `The flag was switched ${position}.` : `The flag was ${position} already.`;
    }
  }
}

/** Records that an action was refused. The later actions of the execution are not made. */
export const recordActionFailure = command({
  name: 'record-action-failure',
  input: Type.Object({ ...RunPosition, details: Type.String() }),
  decide(context, { run: id, index, details }) {
    const run = context.draft.get('actionRuns', String(id));
    if (!run || nextAction(run)?.index !== index) return;
    putOutcome(context, run, index, {
      state: 'failed',
      details: details.slice(0, DETAILS_LENGTH_MAX),
      isChange: false,
    });
  },
});

function putOutcome(
  { draft, now }: CommandContext,
  run: ActionRun,
  index: number,
  outcome: Pick<RunAction, 'details' | 'isChange'> & { readonly state: 'success' | 'failed' },
): void {
  const isFailed = outcome.state === 'failed';
  const actions = run.actions.map((action, at): RunAction => {
    if (at === index) return { ...action, ...outcome };
    return isFailed && at > index ? { ...action, state: 'not started' } : action;
  });
  const isLast = isFailed || index === actions.length - 1;
  draft.put('actionRuns', { ...run, actions, updatedAt: now, state: isLast ? outcome.state : 'started' });
}

function runProblem({ draft, caller, now }: CommandContext, run: ActionRun, action: RunAction): Rejection | undefined {
  const set = draft.get('actionSets', String(run.actionSetId));
  if (!set?.enabled) return notAllowed('The action set was switched off before the action was made.');
  if (caller.kind === 'user' && caller.user !== String(set.actorId))
    return notAllowed('The action set got another service account before the action was made.');
  if (Date.parse(now) - Date.parse(run.createdAt) > EXPIRY_MS)
    return notAllowed('The signal is older than an hour: the service was stopped or in maintenance meanwhile.');
  const { max } = SIGNAL_LIMITS.actionSwitches;
  if (recentSwitches(draft, action, now) >= max)
    return notAllowed(
      `Actions switched this flag ${max} times in ten minutes, which is probably a loop. They may switch it again when there were fewer in ten minutes.`,
    );
  return undefined;
}

function recentSwitches(reader: StateReader, action: RunAction, now: string): number {
  const since = Date.parse(now) - LOOP_WINDOW_MS;
  const key = switchKey(action);
  let count = 0;
  for (const { updatedAt, actions } of reader.lookup('actionSwitches', key))
    if (Date.parse(updatedAt) > since)
      count += actions.filter((made) => made.isChange && switchKey(made) === key).length;
  return count;
}
