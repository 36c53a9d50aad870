import { useState } from 'react';
import { useEnvironments } from '../../data/settings.ts';
import { contextOf, fieldsOf, type GivenField, playgroundContexts } from '../../domain/contexts.ts';
import type { Question, Where } from '../../domain/question.ts';
import { problemOfContexts } from '../../words/en/contexts.ts';
import { playground as words } from '../../words/en/playground.ts';

export type Mode = 'fields' | 'pasted';

const FIRST: readonly GivenField[] = [{ name: 'userId', value: '' }];
const EXAMPLE: readonly GivenField[] = [{ name: 'userId', value: '7' }];

/** What a question means: the order of its parts in the address does not count. */
const meaningOf = ({ environments, projects, contexts, at }: Question) =>
  JSON.stringify([environments, projects, contexts.map((one) => [one.appName, fieldsOf(one)]), at]);

/** What the form holds: the next question. It begins with what the address asks, or with where it asks. */
export function useDraft(asked: Question | null, where: Where) {
  const { data: all = [] } = useEnvironments();
  const single = asked?.contexts.length === 1 ? asked.contexts[0] : undefined;
  const [chosen, setEnvironments] = useState<readonly string[] | null>(
    where.environments.length > 0 ? where.environments : null,
  );
  const [projects, setProjects] = useState<readonly string[]>(where.projects);
  const [at, setAt] = useState(asked?.at ?? '');
  const [mode, setMode] = useState<Mode>(asked && !single ? 'pasted' : 'fields');
  const [fields, setFields] = useState<readonly GivenField[]>(() =>
    single && fieldsOf(single).length > 0 ? fieldsOf(single) : FIRST,
  );
  const [text, setText] = useState(() =>
    asked && !single ? asked.contexts.map((one) => JSON.stringify(one)).join('\n') : '',
  );
  const usable = all.filter(({ enabled }) => enabled).map(({ name }) => name);
  const environments = chosen ?? usable;
  const parsed = mode === 'fields' ? { contexts: [contextOf(fields)] } : playgroundContexts(text);
  const question: Question | null =
    'contexts' in parsed && environments.length > 0 ? { environments, projects, contexts: parsed.contexts, at } : null;
  const changeMode = (next: Mode) => {
    if (next === 'pasted' && text === '') setText(JSON.stringify(contextOf(fields), null, 2));
    setMode(next);
  };
  /** Fills in an example, and returns it. */
  const example = (): Question => {
    const where = environments.length > 0 ? environments : usable;
    setEnvironments(where);
    setMode('fields');
    setFields(EXAMPLE);
    return { environments: where, projects, contexts: [contextOf(EXAMPLE)], at };
  };
  return {
    example,
    environments,
    setEnvironments,
    projects,
    setProjects,
    at,
    setAt,
    mode,
    changeMode,
    fields,
    setFields,
    text,
    setText,
    /** Null while something is missing or wrong. */
    question,
    environmentsProblem: environments.length === 0 ? words.environmentsMissing : undefined,
    contextsProblem: 'problem' in parsed ? problemOfContexts(parsed.problem) : undefined,
    /** The form no longer asks what the results answer. */
    isChanged: asked !== null && (question === null || meaningOf(question) !== meaningOf(asked)),
  };
}

export type Draft = ReturnType<typeof useDraft>;
