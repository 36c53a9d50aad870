import { Pace } from '../../base/pace.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { State } from '../../state/state.ts';
import { endpoint } from '../endpoint.ts';
import { visibleChunks } from '../visible-flags.ts';
import { PlaygroundRequest, PlaygroundResponse } from './playground-schemas.ts';
import { presentEvaluation } from './present-playground.ts';

const playground = endpoint({
  operationId: 'getPlayground',
  method: 'post',
  path: '/api/admin/playground',
  tag: 'Playground',
  access: { permission: 'READ' },
  summary: 'Evaluates flags for a context and explains each result',
  description:
    'Flags of projects that do not exist, or are not in the environment, are not in the answer. A missing `currentTime` is now.',
  deprecated: true,
  body: PlaygroundRequest,
  responses: { 200: { description: 'The evaluated flags', schema: PlaygroundResponse } },
  errors: [400],
  handle({ body }, services) {
    const { environment, projects = '*', context: sent } = body;
    if (!services.state.get('environments', environment)) {
      return invalid(`The environment ${environment} does not exist.`, '/environment');
    }
    const { clock, random, state, flagViews } = services;
    const context = evaluationContext(sent, { environment, nowMs: clock.nowMs(), random });
    if (context instanceof Rejection) return context;
    const chunks = visibleChunks(services, environment, projects === '*' ? null : new Set(projects));
    const input = JSON.stringify({ environment, projects, context: sent });
    return {
      status: 200,
      pieces: featuresJson(input, chunks, { context, state, find: flagViews.environment(environment).find }),
    };
  },
});

interface Evaluation {
  readonly context: EvaluationContext;
  readonly state: State;
  readonly find: FlagLookup;
}

function* featuresJson(
  input: string,
  chunks: Iterable<readonly CompiledFlag[]>,
  { context, state, find }: Evaluation,
): Generator<string> {
  const pace = new Pace();
  let text = `{"input":${input},"features":[`;
  let separator = '';
  for (const flags of chunks) {
    for (const flag of flags) {
      const feature = state.get('features', flag.name);
      if (feature === undefined) continue;
      const { fieldsJson, isEnabled } = presentEvaluation(flag, feature, context, find);
      text += `${separator}{${fieldsJson},"feature_enabled":${isEnabled},"featureEnabled":${isEnabled}}`;
      separator = ',';
      if (!pace.spent) continue;
      yield text;
      text = '';
      pace.restart();
    }
    yield text;
    text = '';
    pace.restart();
  }
  yield `${text}]}`;
}

export const playgroundEndpoints = [playground];
