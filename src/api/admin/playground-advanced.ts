import { assert } from '../../base/assert.ts';
import { Pace } from '../../base/pace.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { Feature } from '../../model/feature.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { type ContextCombinations, combineContexts } from './playground-contexts.ts';
import { AdvancedPlaygroundRequest, AdvancedPlaygroundResponse } from './playground-schemas.ts';
import { presentEvaluation } from './present-playground.ts';

const advancedPlayground = endpoint({
  operationId: 'getAdvancedPlayground',
  method: 'post',
  path: '/api/admin/playground/advanced',
  tag: 'Playground',
  access: { permission: 'READ' },
  summary: 'Evaluates flags for several contexts in several environments and explains each result',
  description:
    'A field of the context may hold several values, separated by commas: every combination of values is evaluated, in each of the ' +
    'environments. Options of the service bound how many contexts, and how many results, a request may ask for.',
  body: AdvancedPlaygroundRequest,
  responses: { 200: { description: 'The evaluated flags', schema: AdvancedPlaygroundResponse } },
  errors: [400],
  handle({ body }, services) {
    const { environments, projects = '*', context } = body;
    const unknown = environments.find((name) => !services.state.get('environments', name));
    if (unknown !== undefined) return invalid(`The environment ${unknown} does not exist.`, '/environments');
    const combinations = combineContexts(context, services.config.playgroundContextsMax);
    if (combinations instanceof Rejection) return combinations;
    const places = placesOf(services, [...new Set(environments)], projects);
    const tooMany = checkResults(services, places, combinations);
    if (tooMany) return tooMany;
    const input = JSON.stringify({ environments, projects, context });
    return { status: 200, pieces: answerPieces(services, input, places, combinations) };
  },
});

/** A project and those of the environments asked for that it has. */
interface Place {
  readonly project: string;
  readonly environments: readonly [string, ...string[]];
}

function placesOf({ state }: Services, environments: readonly string[], projects: '*' | readonly string[]): Place[] {
  const ids = projects === '*' ? Array.from(state.values('projects'), ({ id }) => id) : [...new Set(projects)];
  return ids.sort().flatMap((project) => {
    const found = state.get('projects', project);
    const [first, ...others] = environments.filter((environment) => found?.environments.includes(environment));
    return !found || found.archivedAt !== null || first === undefined
      ? []
      : [{ project, environments: [first, ...others] }];
  });
}

/** Characters that all the contexts in an answer may take: each result tells its own. */
const CONTEXT_CHARS_MAX = 50_000_000;

/** Decided from counts alone, before anything is evaluated. */
function checkResults(
  { state, config }: Services,
  places: readonly Place[],
  { count, length }: ContextCombinations,
): Rejection | undefined {
  let evaluations = 0;
  for (const { project, environments } of places) {
    const flags = state.count('featuresByProject', project) - state.count('archivedByProject', project);
    evaluations += flags * environments.length;
  }
  const results = evaluations * count;
  const ask = 'Name fewer projects, environments or values of the context.';
  if (results > config.playgroundResultsMax) {
    return invalid(
      `This asks for ${results} results; at most ${config.playgroundResultsMax} are given at once. ${ask}`,
    );
  }
  if (results * length > CONTEXT_CHARS_MAX) {
    return invalid(`The context is too long to be told with each of ${results} results. ${ask}`, '/context');
  }
  return undefined;
}

function* answerPieces(
  services: Services,
  input: string,
  places: readonly Place[],
  combinations: ContextCombinations,
): Generator<string> {
  yield `{"input":${input},"features":[`;
  const evaluator = new Evaluator(services, combinations);
  let separator = '';
  for (const { project, environments } of places) {
    // A project's flags are the same ones in all its environments.
    for (const flags of services.flagViews.environment(environments[0]).ofProject(project)) {
      for (const { name } of flags) {
        const feature = services.state.get('features', name);
        if (feature === undefined) continue;
        yield* evaluator.featurePieces(feature, environments, separator);
        separator = ',';
      }
      yield '';
    }
  }
  const warnings = { invalidContextProperties: combinations.invalidProperties };
  yield `],"warnings":${JSON.stringify(warnings)}}`;
}

/** Evaluates features for all combinations; a piece ends when a slice of time is used up, in the middle of a feature if need be. */
class Evaluator {
  readonly #services: Services;
  readonly #combinations: ContextCombinations;
  /** By environment, each list made as far as it was needed. */
  readonly #contexts = new Map<string, EvaluationContext[]>();
  /** The contexts as they stand in the answer. */
  readonly #contextJsons: string[] = [];
  readonly #nowMs: number;
  readonly #pace = new Pace();
  #text = '';

  constructor(services: Services, combinations: ContextCombinations) {
    this.#services = services;
    this.#combinations = combinations;
    this.#nowMs = services.clock.nowMs();
  }

  *featurePieces(feature: Feature, environments: readonly string[], separator: string): Generator<string> {
    const { name, project } = feature;
    this.#text += `${separator}{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(project)},"environments":{`;
    let inner = '';
    for (const environment of environments) {
      const { find } = this.#services.flagViews.environment(environment);
      const flag = find(name);
      if (!flag) continue;
      this.#text += `${inner}${JSON.stringify(environment)}:[`;
      inner = ',';
      yield* this.#resultPieces(flag, feature, environment, find);
      this.#text += ']';
    }
    this.#text += '}}';
    yield this.#take();
  }

  *#resultPieces(flag: CompiledFlag, feature: Feature, environment: string, find: FlagLookup): Generator<string> {
    const contexts = this.#contextsIn(environment);
    const environmentJson = JSON.stringify(environment);
    for (let index = 0; index < this.#combinations.count; index++) {
      contexts[index] ??= this.#combine(environment, index);
      const { fieldsJson } = presentEvaluation(flag, feature, contexts[index] as EvaluationContext, find);
      const contextJson = this.#contextJsons[index];
      this.#text += `${index > 0 ? ',' : ''}{${fieldsJson},"environment":${environmentJson},"context":${contextJson}}`;
      if (this.#pace.spent) yield this.#take();
    }
  }

  #contextsIn(environment: string): EvaluationContext[] {
    let contexts = this.#contexts.get(environment);
    if (!contexts) {
      contexts = [];
      this.#contexts.set(environment, contexts);
    }
    return contexts;
  }

  #combine(environment: string, index: number): EvaluationContext {
    const sent = this.#combinations.at(index);
    this.#contextJsons[index] ??= JSON.stringify(sent);
    const { random } = this.#services;
    const context = evaluationContext(sent, { environment, nowMs: this.#nowMs, random });
    assert(!(context instanceof Rejection), 'times are checked before, and nothing else of a context can be wrong');
    return context;
  }

  #take(): string {
    const text = this.#text;
    this.#text = '';
    this.#pace.restart();
    return text;
  }
}

export const advancedPlaygroundEndpoints = [advancedPlayground];
