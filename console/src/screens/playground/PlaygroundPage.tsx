import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useMemo } from 'react';
import { publicUrl } from '../../data/base.ts';
import { keys } from '../../data/keys.ts';
import { useEnvironments, useUiConfig } from '../../data/settings.ts';
import { contextOf } from '../../domain/contexts.ts';
import type { Question, Where } from '../../domain/question.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { parts } from '../../words/en/parts.ts';
import { playground as words } from '../../words/en/playground.ts';
import { Page } from '../parts/Page.tsx';
import { evaluate } from './evaluate.ts';
import styles from './Playground.module.css';
import { QuestionForm } from './QuestionForm.tsx';
import { ResultTable } from './ResultTable.tsx';
import { useQuestion } from './use-question.ts';

/** Results of another question, or of an attempt before a failure, are never shown: they would be read as the answer. */
function useResults(question: Question | null) {
  const query = useQuery({
    queryKey: keys.own('playground', question),
    queryFn: ({ signal }) => evaluate(question as Question, signal),
    enabled: question !== null,
    retry: false,
    gcTime: 0,
  });
  const isCurrent = query.data !== undefined && query.error === null && !query.isRefetching;
  return { ...query, results: isCurrent ? query.data : undefined };
}

export function PlaygroundPage() {
  const asked = useQuestion();
  const { question, where, isLong } = asked;
  const flag = asked.params.get('flag');
  const { results, error, isFetching, refetch } = useResults(question);
  const { data: environments } = useEnvironments();
  const usable = useMemo(
    () => (environments ?? []).filter(({ enabled }) => enabled).map(({ name }) => name),
    [environments],
  );
  const config = useUiConfig();
  const ask = (next: Question) => {
    if (JSON.stringify(next) === JSON.stringify(question)) void refetch();
    else asked.ask(next);
  };
  const again = (
    <Button size="small" onClick={() => void refetch()}>
      {parts.again}
    </Button>
  );
  return (
    <Page name={words.title} lead={words.lead}>
      <div className={styles.columns}>
        {environments ? (
          <QuestionForm
            question={question}
            where={where}
            isValueNext={question === null && flag !== null}
            isPending={isFetching}
            onAsk={ask}
          />
        ) : (
          <Skeleton shape="card" />
        )}
        <section aria-label={words.results} aria-busy={isFetching} className={styles.results}>
          {isLong && question && <Banner>{words.tooLong}</Banner>}
          {question === null ? (
            <EmptyState
              icon={<FlaskConical aria-hidden />}
              sentence={flag === null ? words.notYet : words.notYetFor(flag)}
              action={<Button onClick={() => ask(exampleOf(where, usable))}>{words.example}</Button>}
              command={commandOf(publicUrl(config?.unleashUrl), usable[0] ?? 'development')}
              commandLabel={words.command}
            />
          ) : isFetching ? (
            <Skeleton shape="rows" rows={8} />
          ) : error ? (
            <Banner tone="bad" title={words.failed} action={again}>
              {error.message}
            </Banner>
          ) : (
            results && (
              <ResultTable question={question} results={results} params={asked.params} setParams={asked.setParams} />
            )
          )}
        </section>
      </div>
    </Page>
  );
}

const exampleOf = ({ environments, projects }: Where, usable: readonly string[]): Question => ({
  environments: environments.length > 0 ? environments : usable,
  projects,
  contexts: [contextOf([{ name: 'userId', value: '7' }])],
  at: '',
});

const commandOf = (url: string, environment: string) =>
  `curl -X POST ${url}/api/admin/playground/advanced -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"environments":["${environment}"],"context":{"appName":"playground","userId":"7"}}'`;
