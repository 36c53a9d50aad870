import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { setInAddress, setOpened } from '../../data/opened.ts';
import { createStore, useStore } from '../../data/store.ts';
import { type Context, playgroundContexts } from '../../domain/contexts.ts';
import { LONG, type Question, questionQuery, type Where } from '../../domain/question.ts';

/** Contexts that are too long for the address: kept until the page is reloaded. */
const longContexts = createStore<readonly Context[]>([]);

const listOf = (text: string | null) => (text ? text.split(',').map(decodeURIComponent) : []);

/** What the next question keeps of the address: the explained flag, and what the list shows. */
const KEPT = ['flag', 'in', 'filter', 'show'];

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
    const parsed = isLong ? { contexts: kept } : playgroundContexts(text);
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
  const setParams = useCallback(({ flag, ...rest }: Readonly<Record<string, string>>) => {
    if (flag === undefined) setInAddress(rest);
    else setOpened('flag', flag, rest);
  }, []);
  return { question, where, isLong, ask, params, setParams };
}
