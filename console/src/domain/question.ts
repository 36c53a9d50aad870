import type { Context } from './contexts.ts';

/** What the playground evaluates: all of it is in the address. */
export interface Question {
  readonly environments: readonly string[];
  /** Empty: all projects. */
  readonly projects: readonly string[];
  readonly contexts: readonly Context[];
  readonly at: string;
}

/** Where a question is asked. */
export type Where = Pick<Question, 'environments' | 'projects'>;

/** Longer addresses are refused by proxies. */
const CONTEXT_CHARS_MAX = 6000;
/** Stands in the address for contexts that are too long for it. */
export const LONG = 'long';

const textOf = (values: readonly string[]) => values.map(encodeURIComponent).join(',');

const contextsText = (contexts: readonly Context[]) => JSON.stringify(contexts.length === 1 ? contexts[0] : contexts);

/** The address of a question; the link of one result is one, too. */
export function questionQuery(question: Question, more: Readonly<Record<string, string>> = {}): URLSearchParams {
  const query = new URLSearchParams();
  query.set('environments', textOf(question.environments));
  if (question.projects.length > 0) query.set('projects', textOf(question.projects));
  if (question.at !== '') query.set('at', question.at);
  const text = contextsText(question.contexts);
  query.set('contexts', text.length > CONTEXT_CHARS_MAX ? LONG : text);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}
