import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { publicUrl } from '../../data/base.ts';
import { keys } from '../../data/keys.ts';
import { useEnvironments, useUiConfig } from '../../data/settings.ts';
import type { Question, Where } from '../../domain/question.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Page } from '../../parts/Page.tsx';
import { parts } from '../../words/en/parts.ts';
import { playground as words } from '../../words/en/playground.ts';
import { evaluate, type Results } from './evaluate.ts';
import styles from './Playground.module.css';
import { QuestionForm } from './QuestionForm.tsx';
import { ResultTable } from './ResultTable.tsx';
import { useDraft } from './use-draft.ts';
import { useQuestion } from './use-question.ts';
import { useFieldsOfFlag } from './used-fields.ts';

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

/** The project of the explained flag. It stays known while the next results are on their way. */
function useProjectOf(flag: string | null, where: Where, results: Results | undefined): string {
  const only = where.projects.length === 1 ? where.projects[0] : undefined;
  const found = results?.flags.find(({ name }) => name === flag)?.project ?? only ?? '';
  const [known, setKnown] = useState(found);
  if (found !== '' && found !== known) setKnown(found);
  return found || known;
}

export function PlaygroundPage() {
  const asked = useQuestion();
  const { question, where, isLong } = asked;
  const draft = useDraft(question, where);
  const form = useId();
  const flag = asked.params.get('flag');
  const { results, error, isFetching, refetch } = useResults(question);
  const project = useProjectOf(flag, where, results);
  const used = useFieldsOfFlag(project, flag ?? '', asked.params.get('in') ?? '');
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
            id={form}
            draft={draft}
            used={used}
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
              action={<Button onClick={() => ask(draft.example())}>{words.example}</Button>}
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
              <>
                {draft.isChanged && <OutOfDate form={form} />}
                <ResultTable question={question} results={results} params={asked.params} setParams={asked.setParams} />
              </>
            )
          )}
        </section>
      </div>
    </Page>
  );
}

/** `form`: its id. */
function OutOfDate({ form }: { readonly form: string }) {
  return (
    <div role="status">
      <Banner
        tone="warn"
        action={
          <Button size="small" type="submit" form={form}>
            {words.evaluateAgain}
          </Button>
        }
      >
        {words.outOfDate}
      </Banner>
    </div>
  );
}

const commandOf = (url: string, environment: string) =>
  `curl -X POST ${url}/api/admin/playground/advanced -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"environments":["${environment}"],"context":{"appName":"playground","userId":"7"}}'`;
