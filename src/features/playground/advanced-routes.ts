import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { assert } from '../../base/assert.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Work } from '../../base/work.ts';
import { Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { explanationLength } from '../../evaluation/explain-json.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { Scope } from '../../model/caller.ts';
import type { StateReader } from '../../state/collections.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { TextOfWork } from '../shared/text-of-work.ts';
import { type ContextCombinations, combineContexts } from './contexts.ts';
import { presentEvaluation, variantsLength } from './present.ts';
import { AdvancedPlaygroundRequest, AdvancedPlaygroundResponse } from './schemas.ts';
import { requestedSnapshots, SNAPSHOT_STATEMENT } from './snapshots.ts';

const route = routesOf('Playground');

const advancedPlayground = route('POST /api/admin/playground/advanced', 'getAdvancedPlayground', {
  access: { permission: 'READ' },
  summary: 'Evaluates flags for several contexts in several environments and explains each result',
  description:
    'A field of the context can have several values, separated by commas: every combination of values is evaluated in each of the ' +
    'environments. Options of the service limit the number of contexts and of results in a request. ' +
    SNAPSHOT_STATEMENT.description,
  query: SNAPSHOT_STATEMENT.query,
  body: AdvancedPlaygroundRequest,
  responses: { 200: { description: 'The evaluated flags', schema: AdvancedPlaygroundResponse } },
  errors: SNAPSHOT_STATEMENT.errors,
  async handle({ body, query: { at }, caller, asker }, services) {
    const { environments, projects = '*', context, changeRequest } = body;
    const combinations = combineContexts(context, services.config.limits.playgroundContexts);
    const scopesOf = (reader: StateReader) => {
      const unknown = environments.find((name) => !reader.get('environments', name));
      if (unknown !== undefined) return invalid(`The environment ${unknown} does not exist.`, '/environments');
      if (combinations instanceof Rejection) return combinations;
      const scopes = scopesIn(reader, environments, { projects, visible: visibleProjects(reader, caller) });
      // The counts of a past state would have to be computed from every flag that differs: they are taken from the snapshots.
      return (reader === services.state && resultsProblem(services, flagsIn(reader, scopes), combinations)) || scopes;
    };
    const found = await requestedSnapshots(services, { caller, asker }, { ...body, at }, scopesOf);
    if (found instanceof Rejection) return found;
    if (combinations instanceof Rejection) return combinations;
    const { snapshots, headers } = found;
    const problem = at === undefined ? undefined : resultsProblem(services, cellsIn(snapshots), combinations);
    if (problem) return problem;
    const length = await workInSlices(answerLength(snapshots, combinations), Slicer.of(asker));
    if (length > ANSWER_CHARS_MAX) {
      return invalid(
        `This request would have an answer of more than ${ANSWER_CHARS_MAX} characters. ${SMALLER_REQUEST_ADVICE}`,
      );
    }
    const input = JSON.stringify({ environments, projects, context, changeRequest });
    const evaluator = new Evaluator(services, combinations);
    const pieces = answerPieces(evaluator, input, snapshots, combinations);
    return { status: 200, headers, pieces, isBounded: true };
  },
});

interface ProjectSelection {
  readonly projects: '*' | readonly string[];
  readonly visible: VisibleProjects;
}

/** For each environment, the selected projects that have it. */
function scopesIn(
  reader: StateReader,
  environments: readonly string[],
  { projects, visible }: ProjectSelection,
): (Scope & { readonly projects: ReadonlySet<string> })[] {
  const ids = projects === '*' ? Array.from(reader.values('projects'), ({ id }) => id) : [...new Set(projects)];
  const found = ids.flatMap((id) => {
    const project = reader.get('projects', id);
    return project && project.archivedAt === null && visible.has(id) ? project : [];
  });
  return [...new Set(environments)].map((environment) => {
    const having = found.filter((project) => project.environments.includes(environment));
    return { environment, projects: new Set(having.map(({ id }) => id)) };
  });
}

/** The number of flags that are evaluated in the scopes. */
function flagsIn(reader: StateReader, scopes: ReturnType<typeof scopesIn>): number {
  let flags = 0;
  for (const { projects } of scopes) {
    for (const project of projects)
      flags += reader.count('featuresByProject', project) - reader.count('archivedByProject', project);
  }
  return flags;
}

function cellsIn(snapshots: readonly FlagSnapshot[]): number {
  let cellCount = 0;
  for (const { chunks } of snapshots) for (const { cells } of chunks) cellCount += cells.length;
  return cellCount;
}

const SMALLER_REQUEST_ADVICE = 'Name fewer projects, environments or values of the context.';

/** Approximate maximum number of characters in an answer. An answer is long because each result repeats the explanation of its flag. */
const ANSWER_CHARS_MAX = 256_000_000;

/** Assumed number of characters of one result, without its strategies, variants and context. */
const RESULT_CHARS = 400;

/** Computes the approximate number of characters of the answer, and caches the texts that the answer uses. Stops if the answer is too long. */
function* answerLength(snapshots: readonly FlagSnapshot[], { count, length }: ContextCombinations): Work<number> {
  let total = 0;
  for (const snapshot of snapshots) {
    for (const { cells } of snapshot.chunks) {
      for (const cell of cells) {
        const explanation = yield* explanationLength(yield* snapshot.compileCell(cell));
        total += count * (explanation + variantsLength(cell.feature, snapshot.environment) + length + RESULT_CHARS);
        if (total > ANSWER_CHARS_MAX) return total;
      }
    }
  }
  return total;
}

/** Maximum number of characters of all contexts in an answer. Each result repeats its context. */
const CONTEXT_CHARS_MAX = 50_000_000;

/** A rejection if the answer would have too many results or too long contexts. It uses only counts, before any flag is evaluated. */
function resultsProblem(
  { config }: Services,
  evaluations: number,
  { count, length }: ContextCombinations,
): Rejection | undefined {
  const results = evaluations * count;
  if (results > config.limits.playgroundResults) {
    return invalid(
      `This request would have ${results} results; the maximum is ${config.limits.playgroundResults}. ${SMALLER_REQUEST_ADVICE}`,
    );
  }
  if (results * length > CONTEXT_CHARS_MAX) {
    return invalid(
      `The context is too long to be repeated in each of ${results} results. ${SMALLER_REQUEST_ADVICE}`,
      '/context',
    );
  }
  return undefined;
}

/** A flag in the snapshot of one environment. */
interface FlagInEnvironment {
  readonly cell: FlagCell;
  readonly snapshot: FlagSnapshot;
}

function* answerPieces(
  evaluator: Evaluator,
  input: string,
  snapshots: readonly FlagSnapshot[],
  combinations: ContextCombinations,
): Generator<string> {
  yield `{"input":${input},"features":[`;
  let separator = '';
  for (const sameFlag of mergedByFlag(snapshots)) {
    yield* evaluator.featurePieces(sameFlag, separator);
    separator = ',';
  }
  const warnings = { invalidContextProperties: combinations.invalidProperties };
  yield `],"warnings":${JSON.stringify(warnings)}}`;
}

/** Merges the snapshots, ordered by project and name. Yields each flag once, with all environments that serve it. */
function* mergedByFlag(snapshots: readonly FlagSnapshot[]): Generator<readonly FlagInEnvironment[]> {
  const cursors = snapshots.map((snapshot) => ({ snapshot, cells: cellsOf(snapshot), cell: undefined as Cell }));
  for (const cursor of cursors) cursor.cell = cursor.cells.next().value as Cell;
  for (;;) {
    let first: Cell;
    for (const { cell } of cursors) if (cell && (!first || isBefore(cell, first))) first = cell;
    if (!first) return;
    const sameFlag: FlagInEnvironment[] = [];
    for (const cursor of cursors) {
      const { cell, snapshot } = cursor;
      if (cell?.name !== first.name) continue;
      sameFlag.push({ cell, snapshot });
      cursor.cell = cursor.cells.next().value as Cell;
    }
    yield sameFlag;
  }
}

type Cell = FlagCell | undefined;

function* cellsOf({ chunks }: FlagSnapshot): Generator<FlagCell> {
  for (const { cells } of chunks) yield* cells;
}

function isBefore(left: FlagCell, right: FlagCell): boolean {
  const [one, other] = [left.feature.project, right.feature.project];
  return one === other ? left.name < right.name : one < other;
}

/** Evaluates flags for all combinations. A piece of the answer ends when a stretch of work ends, even in the middle of a flag. */
class Evaluator {
  readonly #services: Services;
  readonly #combinations: ContextCombinations;
  /** Environment → its contexts, one for each combination. A list has only the contexts that were needed so far. */
  readonly #contexts = new Map<string, EvaluationContext[]>();
  /** The contexts as JSON for the answer. */
  readonly #contextJsons: string[] = [];
  readonly #nowMs: number;
  readonly #out = new TextOfWork();

  constructor(services: Services, combinations: ContextCombinations) {
    this.#services = services;
    this.#combinations = combinations;
    this.#nowMs = services.clock.nowMs();
  }

  *featurePieces(sameFlag: readonly FlagInEnvironment[], separator: string): Generator<string> {
    const { name, project } = (sameFlag[0] as FlagInEnvironment).cell.feature;
    this.#out.add(
      `${separator}{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(project)},"environments":{`,
    );
    let inner = '';
    for (const location of sameFlag) {
      this.#out.add(`${inner}${JSON.stringify(location.snapshot.environment)}:[`);
      inner = ',';
      yield* this.#resultPieces(location);
      this.#out.add(']');
    }
    this.#out.add('}}');
    yield this.#out.take();
  }

  *#resultPieces({ cell, snapshot }: FlagInEnvironment): Generator<string> {
    const { environment } = snapshot;
    const contexts = this.#contextsIn(environment);
    const environmentJson = JSON.stringify(environment);
    const flag = yield* this.#out.pieces(snapshot.compileCell(cell));
    for (let index = 0; index < this.#combinations.count; index++) {
      contexts[index] ??= this.#combine(environment, index);
      const context = contexts[index] as EvaluationContext;
      const evaluation = presentEvaluation(flag, cell.feature, context, snapshot.find);
      const { fieldsJson } = yield* this.#out.pieces(evaluation);
      const contextJson = this.#contextJsons[index];
      this.#out.add(`${index > 0 ? ',' : ''}{${fieldsJson},"environment":${environmentJson},"context":${contextJson}}`);
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
    assert(!(context instanceof Rejection), 'times were checked before, and nothing else in a context can be invalid');
    return context;
  }
}

export const advancedPlaygroundEndpoints = [advancedPlayground];
