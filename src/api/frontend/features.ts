import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import type { Work } from '../../base/work.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationCost, LIGHT_MAX, resolve, resolveInSteps } from '../../evaluation/evaluate.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import { nextToggle } from '../../evaluation/toggle-json.ts';
import type { Resolution } from '../../evaluation/variant.ts';
import type { Answer } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { contextOfQuery } from './query-context.ts';
import { FrontendBody, FrontendFlags } from './schemas.ts';

const ABOUT_THE_CONTEXT =
  'The environment is the token’s. Without a remoteAddress the caller’s counts; without a sessionId a random one. ' +
  'Fields that the context does not name count as properties.';

const getFrontendFeatures = endpoint({
  operationId: 'getFrontendFeatures',
  method: 'get',
  path: '/api/frontend',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the query, with their variants',
  description: `Custom context fields are written \`properties[name]=value\`. ${ABOUT_THE_CONTEXT}`,
  query: Type.Object({
    appName: Type.Optional(Type.String()),
    userId: Type.Optional(Type.String()),
    sessionId: Type.Optional(Type.String()),
    remoteAddress: Type.Optional(Type.String()),
    currentTime: Type.Optional(Type.String()),
  }),
  responses: { 200: { description: 'The flags that are on', schema: FrontendFlags } },
  errors: [400],
  handle({ queryText, caller, remoteAddress }, services) {
    const context = contextOfQuery(queryText);
    if (context instanceof Rejection) return context;
    return evaluateFor(caller, context, remoteAddress, services);
  },
});

const postFrontendFeatures = endpoint({
  operationId: 'postFrontendFeatures',
  method: 'post',
  path: '/api/frontend',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the body, with their variants',
  description: `The context is the body, or its field \`context\`. ${ABOUT_THE_CONTEXT}`,
  body: FrontendBody,
  responses: { 200: { description: 'The flags that are on', schema: FrontendFlags } },
  errors: [400],
  handle({ body, caller, remoteAddress }, services) {
    return evaluateFor(caller, body.context ?? body, remoteAddress, services);
  },
});

function evaluateFor(
  { scope }: Caller,
  sent: SdkContext,
  remoteAddress: string,
  services: Services,
): Answer | Rejection | Promise<Answer> {
  const { clock, random, flagViews } = services;
  const context = evaluationContext(sent, {
    environment: scope.environment,
    nowMs: clock.nowMs(),
    random,
    remoteAddress,
    sessionId: String(Math.floor(random() * 1_000_000_000)),
  });
  if (context instanceof Rejection) return context;
  const answer = (flags: FlagSnapshot): Answer => ({ status: 200, pieces: togglesJson(flags, context) });
  const flags = flagViews.ofScope(scope);
  return flags instanceof Promise ? flags.then(answer) : answer(flags);
}

/** The answer, with a piece wherever a stretch of work is done, in the middle of a flag if need be. All of it is of one revision. */
function* togglesJson(snapshot: FlagSnapshot, context: EvaluationContext): Generator<string> {
  const stretch = new Slicer(STRETCH_BUDGET_MS);
  let text = '{"toggles":[';
  let isFirst = true;
  for (const chunk of snapshot.chunks) {
    const light = chunk.light(context.longestValue);
    if (light) {
      const { length } = text;
      text = withToggles(text, isFirst, light.flags, context, snapshot.find);
      if (text.length > length) isFirst = false;
      if (!stretch.charge(light.cost + light.costPerChar * context.longestValue)) continue;
      yield text;
      text = '';
      stretch.restart();
      continue;
    }
    const { cells } = chunk;
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[index] as FlagCell;
      const cost = cell.flag === undefined ? Number.POSITIVE_INFINITY : evaluationCost(cell.flag, context.longestValue);
      let resolution: Resolution;
      let isOver = false;
      if (cost <= LIGHT_MAX) {
        resolution = resolve(cell.flag as CompiledFlag, context, snapshot.find);
        isOver = stretch.charge(cost);
      } else {
        const work = resolveHeavy(snapshot, cell, context);
        let step = work.next();
        for (; !step.done; step = work.next()) {
          if (!stretch.charge(step.value)) continue;
          yield text;
          text = '';
          stretch.restart();
        }
        resolution = step.value;
      }
      if (resolution.on) {
        const toggle = nextToggle(cell.compiled(), resolution);
        text += isFirst ? toggle.slice(1) : toggle;
        isFirst = false;
      }
      if (!isOver) continue;
      yield text;
      text = '';
      stretch.restart();
    }
  }
  yield `${text}]}`;
}

/** The text, and the toggles of flags that are evaluated in one go. */
function withToggles(
  before: string,
  isBeforeFirst: boolean,
  flags: readonly CompiledFlag[],
  context: EvaluationContext,
  find: FlagLookup,
): string {
  let text = before;
  let isFirst = isBeforeFirst;
  for (let index = 0; index < flags.length; index++) {
    const flag = flags[index] as CompiledFlag;
    const resolution = resolve(flag, context, find);
    if (!resolution.on) continue;
    const toggle = nextToggle(flag, resolution);
    text += isFirst ? toggle.slice(1) : toggle;
    isFirst = false;
  }
  return text;
}

/** A flag that is not compiled yet, that has parents, or that takes long. */
function* resolveHeavy(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<Resolution> {
  const flag = yield* snapshot.ready(cell);
  return yield* resolveInSteps(flag, context, snapshot.find);
}

export const frontendFeatureEndpoints = [getFrontendFeatures, postFrontendFeatures];
