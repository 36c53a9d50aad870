import type { components } from '../../api/schema.d.ts';
import { api, newestRevision, read } from '../../data/client.ts';
import { type Context, contextLabel } from '../../domain/contexts.ts';
import type { Question } from '../../domain/question.ts';
import { isRevision, newestAt } from '../../past/moment.ts';

type Answer = components['schemas']['advancedPlaygroundResponse'];
export type Result = Answer['features'][number]['environments'][string][number];
export type Verdict = Result['strategies']['data'][number];

export interface FlagResults {
  readonly name: string;
  readonly project: string;
  /** For each environment that its project has, one result for each context. */
  readonly environments: Readonly<Record<string, readonly Result[]>>;
}

export interface Results {
  readonly flags: readonly FlagResults[];
  /** Every combination of the values that were given. */
  readonly contexts: readonly string[];
  readonly invalid: readonly string[];
  /** The moment that was evaluated, also if now was asked for. */
  readonly at: string;
}

/** Requests under way at a time. */
const AT_ONCE = 3;

/** The context of a result, as the list of contexts names it. */
export const labelOf = ({ context }: Result) => contextLabel(context as Context);

async function ask({ environments, projects, at }: Question, context: Context, signal: AbortSignal): Promise<Answer> {
  const call = api.POST('/api/admin/playground/advanced', {
    params: { query: at === '' ? {} : { at } },
    body: {
      environments: [...environments],
      projects: projects.length === 0 ? '*' : [...projects],
      context: context as Answer['input']['context'],
    },
    signal,
  });
  return read(call);
}

/** Asks the server for each context, some at a time, and joins the answers in the order of the contexts. */
export async function evaluate(question: Question, signal: AbortSignal): Promise<Results> {
  const answers: Answer[] = [];
  const began = newestAt();
  const waiting = question.contexts.map((context, index) => ({ context, index }));
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      answers[next.index] = await ask(question, next.context, signal);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work));
  // Until the stream of changes is open, the newest revision is not known.
  const newest = isRevision(began) || newestRevision() === 0 ? began : newestAt();
  return { ...joined(answers), at: question.at === '' ? newest : question.at };
}

function joined(answers: readonly Answer[]): Omit<Results, 'at'> {
  const flags = new Map<string, { name: string; project: string; environments: Record<string, Result[]> }>();
  const contexts = new Set<string>();
  const invalid = new Set<string>();
  for (const { features, warnings } of answers) {
    for (const name of warnings.invalidContextProperties) invalid.add(name);
    for (const { name, projectId, environments } of features) {
      const flag = flags.get(name) ?? { name, project: projectId, environments: {} };
      flags.set(name, flag);
      for (const [environment, results] of Object.entries(environments)) {
        const all = flag.environments[environment] ?? [];
        flag.environments[environment] = all;
        for (const result of results) {
          all.push(result);
          contexts.add(labelOf(result));
        }
      }
    }
  }
  return {
    flags: [...flags.values()].sort((a, b) => a.name.localeCompare(b.name)),
    contexts: [...contexts],
    invalid: [...invalid],
  };
}

export type State = 'on' | 'off' | 'unknown';

export function stateOf({
  isEnabled,
  isEnabledInCurrentEnvironment,
  hasUnsatisfiedDependency,
  strategies,
}: Result): State {
  if (strategies.result === 'unknown' && isEnabledInCurrentEnvironment && !hasUnsatisfiedDependency) return 'unknown';
  return isEnabled ? 'on' : 'off';
}

/** A result in a word: two results with the same word are the same for an SDK. */
const outcome = (result: Result) => `${stateOf(result)} ${result.variant?.enabled ? result.variant.name : ''}`;

export const isSomewhereOn = ({ environments }: FlagResults) =>
  Object.values(environments).some((results) => results.some((result) => stateOf(result) === 'on'));

export const differs = ({ environments }: FlagResults) =>
  new Set(Object.values(environments).flatMap((results) => results.map(outcome))).size > 1;
