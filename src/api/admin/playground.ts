import { invalid, Rejection } from '../../base/rejection.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import { listAnswer } from '../../http/answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { visibleFlags } from '../visible-flags.ts';
import { PlaygroundRequest, PlaygroundResponse } from './playground-schemas.ts';
import { presentEvaluation } from './present-playground.ts';

const playground = endpoint({
  operationId: 'getPlayground',
  method: 'post',
  path: '/api/admin/playground',
  tag: 'Playground',
  permission: 'admin',
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
    const { clock, random, flagViews } = services;
    const context = evaluationContext(sent, { environment, nowMs: clock.nowMs(), random });
    if (context instanceof Rejection) return context;
    const { find } = flagViews.environment(environment);
    const scope = projects === '*' ? null : new Set(projects);
    return listAnswer(
      { input: { environment, projects, context: sent } },
      'features',
      flagsWithFeatures(services, environment, scope),
      ({ flag, feature }) => presentEvaluation(flag, feature, context, find),
    );
  },
});

function* flagsWithFeatures(services: Services, environment: string, projects: ReadonlySet<string> | null) {
  for (const flag of visibleFlags(services, environment, projects)) {
    const feature = services.state.get('features', flag.name);
    if (feature) yield { flag, feature };
  }
}

export const playgroundEndpoints = [playground];
