import { readableProjects } from '../../access/visibility.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { judgingCost } from '../../evaluation/judge.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { StateReader } from '../../state/collections.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { routesOf } from '../endpoint.ts';
import { TextOfWork } from '../shared/text-of-work.ts';
import { presentAtOnce, presentEvaluation } from './present.ts';
import { PlaygroundRequest, PlaygroundResponse } from './schemas.ts';
import { requestedSnapshots, SNAPSHOT_STATEMENT } from './snapshots.ts';

const route = routesOf('Playground');

const playground = route('POST /api/admin/playground', 'getPlayground', {
  access: { permission: 'READ' },
  summary: 'Evaluates flags for a context and explains each result',
  description:
    'Leaves out the flags of projects that do not exist, that do not have the environment, or that the caller may not see. The default for ' +
    '`currentTime` is the current time. ' +
    SNAPSHOT_STATEMENT.description,
  deprecated: true,
  query: SNAPSHOT_STATEMENT.query,
  body: PlaygroundRequest,
  responses: { 200: { description: 'The evaluated flags', schema: PlaygroundResponse } },
  errors: SNAPSHOT_STATEMENT.errors,
  handle({ body, query: { at }, caller, asker }, services) {
    const { environment, projects = '*', features, context: sent, changeRequest } = body;
    const { clock, random } = services;
    const context = evaluationContext(sent, { environment, nowMs: clock.nowMs(), random });
    if (context instanceof Rejection) return context;
    const scopesOf = (reader: StateReader) => {
      if (!reader.get('environments', environment)) {
        return invalid(`The environment ${environment} does not exist.`, '/environment');
      }
      const readable = readableProjects(reader, caller);
      const selected = projects === '*' ? readable : new Set(projects.filter((id) => readable?.has(id) ?? true));
      return [{ environment, projects: selected }];
    };
    const input = JSON.stringify({ environment, projects, context: sent, changeRequest });
    const answer = (found: Exclude<ReturnType<typeof requestedSnapshots>, Promise<unknown>>) =>
      found instanceof Rejection
        ? found
        : {
            ...{ status: 200, headers: found.headers, isBounded: true },
            pieces: featuresJson(input, found.snapshots[0] as FlagSnapshot, context, features && new Set(features)),
          };
    const found = requestedSnapshots(services, { caller, asker }, { ...body, at }, scopesOf);
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
});

/** `wanted`: the names of the flags in the answer; undefined: all flags of the snapshot. */
function* featuresJson(
  input: string,
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  wanted: ReadonlySet<string> | undefined,
): Generator<string> {
  const out = new TextOfWork();
  out.add(`{"input":${input},"features":[`);
  let separator = '';
  for (const { cells } of snapshot.chunks) {
    for (const cell of cells) {
      if (wanted?.has(cell.name) === false) {
        if (out.charge(1)) yield out.take();
        continue;
      }
      const presented = presentLight(cell, context) ?? (yield* presentHeavy(out, snapshot, cell, context));
      const { fieldsJson, isEnabled, work } = presented;
      out.add(`${separator}{${fieldsJson},"feature_enabled":${isEnabled},"featureEnabled":${isEnabled}}`);
      separator = ',';
      if (out.charge(work)) yield out.take();
    }
  }
  out.add(']}');
  yield out.take();
}

/** Evaluates the flag without steps. Undefined if the flag is not compiled yet, has parents, or needs long to evaluate. */
function presentLight({ flag, feature }: FlagCell, context: EvaluationContext) {
  const judging = flag && judgingCost(flag, context.longestValue);
  return flag && judging != null ? presentAtOnce(flag, judging, feature, context) : undefined;
}

function* presentHeavy(out: TextOfWork, snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext) {
  const flag = yield* out.pieces(snapshot.compileCell(cell));
  const presented = yield* out.pieces(presentEvaluation(flag, cell.feature, context, snapshot.find));
  // `out.pieces` has already counted the work.
  return { ...presented, work: 0 };
}

export const playgroundEndpoints = [playground];
