import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { createStore, useStore } from '../../data/store.ts';
import { type Context, parseContexts } from './contexts.ts';
import type { Question } from './evaluate.ts';

/** Longer addresses are refused by proxies. */
const CONTEXT_CHARS_MAX = 6000;
const LONG = 'long';

/** Contexts that are too long for the address: kept until the page is reloaded. */
const longContexts = createStore<readonly Context[]>([]);

const listOf = (text: string | null) => (text ? text.split(',').map(decodeURIComponent) : []);
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

/** What the next question keeps of the address: the explained flag, and what the list shows. */
const KEPT = ['flag', 'in', 'filter', 'show'];

/** Where a question is asked. */
export type Where = Pick<Question, 'environments' | 'projects'>;

/** The question that the address asks, or null; the form is a draft of the next one. */
export function useQuestion(): {
  readonly question: Question | null;
  /** Links to the playground may say where to ask, and leave the context to the person. */
  readonly where: Where;
  readonly isLong: boolean;
  readonly ask: (question: Question) => void;
  readonly params: URLSearchParams;
  readonly setParams: (changes: Readonly<Record<string, string>>) => void;
} {
  const [params, setAll] = useSearchParams();
  const kept = useStore(longContexts);
  const text = params.get('contexts') ?? '';
  const isLong = text === LONG;
  const where = useMemo(
    () => ({ environments: listOf(params.get('environments')), projects: listOf(params.get('projects')) }),
    [params],
  );
  const question = useMemo(() => {
    const parsed = isLong ? { contexts: kept } : parseContexts(text);
    if (text === '' || !('contexts' in parsed) || parsed.contexts.length === 0 || where.environments.length === 0)
      return null;
    return { ...where, contexts: parsed.contexts, at: params.get('at') ?? '' };
  }, [where, params, text, isLong, kept]);
  const ask = useCallback(
    (next: Question) => {
      longContexts.set(next.contexts);
      setAll((before) => questionQuery(next, Object.fromEntries([...before].filter(([name]) => KEPT.includes(name)))));
    },
    [setAll],
  );
  const setParams = useCallback(
    (changes: Readonly<Record<string, string>>) =>
      setAll(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes)) {
            if (value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setAll],
  );
  return { question, where, isLong, ask, params, setParams };
}
