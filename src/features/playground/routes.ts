import { readableProjects } from '../../access/visibility.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { StateReader } from '../../state/collections.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { routesOf } from '../endpoint.ts';
import { TextOfWork } from '../shared/text-of-work.ts';
import { presentEvaluation } from './present.ts';
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
            status: 200,
            headers: found.headers,
            isBounded: true,
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
      const presented = presentEvaluation(
        yield* out.pieces(snapshot.compileCell(cell)),
        cell.feature,
        context,
        snapshot.find,
      );
      const { fieldsJson, isEnabled } = yield* out.pieces(presented);
      out.add(`${separator}{${fieldsJson},"feature_enabled":${isEnabled},"featureEnabled":${isEnabled}}`);
      separator = ',';
    }
  }
  out.add(']}');
  yield out.take();
}

export const playgroundEndpoints = [playground];
