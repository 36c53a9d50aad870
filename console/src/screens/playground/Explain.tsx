import { useMemo } from 'react';
import { Link } from 'wouter';
import { BASE_PATH } from '../../base-path.ts';
import { useProductionNames } from '../../data/settings.ts';
import type { Context } from '../../domain/contexts.ts';
import { type Question, questionQuery } from '../../domain/question.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import partStyles from '../../parts/parts.module.css';
import { isRevision } from '../../past/moment.ts';
import { PATHS, path } from '../../paths.ts';
import { Words } from '../../save/Words.tsx';
import { playground } from '../../words/en/playground.ts';
import { reasonOf } from '../../words/en/reasons.ts';
import { ruleSign } from '../../words/rule-words.ts';
import { type FlagResults, labelOf, type Result } from './evaluate.ts';
import styles from './Playground.module.css';
import { Outcome } from './ResultTable.tsx';
import { decidingNotGiven } from './used-fields.ts';
import { VerdictView } from './VerdictView.tsx';

const words = playground.explain;

interface ExplainProps {
  /** The moment of the results. */
  readonly evaluatedAt: string;
  readonly question: Question;
  readonly flag: FlagResults;
  readonly contexts: readonly string[];
  readonly params: URLSearchParams;
  readonly setParams: (changes: Readonly<Record<string, string>>) => void;
}

/** The address that asks the question and opens the explanation. */
const linkOf = (question: Question, flag: string) =>
  `${location.origin}${BASE_PATH}${PATHS.playground}?${questionQuery(question, { flag })}`;

/** `question`: of this one result. */
function Footer({ question, flag, evaluatedAt }: Pick<ExplainProps, 'question' | 'flag' | 'evaluatedAt'>) {
  return (
    <div className={styles.footer}>
      <div className={styles.acts}>
        <CopyButton text={linkOf(question, flag.name)} label={words.link} isLabelShown />
        {question.at === '' && (
          <CopyButton text={linkOf({ ...question, at: evaluatedAt }, flag.name)} label={words.linkAsNow} isLabelShown />
        )}
        <Link
          className={buttonClass()}
          href={path('feature', { projectId: flag.project, featureId: flag.name }, { at: question.at })}
        >
          {words.openFlag}
        </Link>
      </div>
    </div>
  );
}

/** One result with its reasons. */
export function Explain({ evaluatedAt, question, flag, contexts, params, setParams }: ExplainProps) {
  const names = question.environments.filter((name) => flag.environments[name]);
  const environment = names.find((name) => name === params.get('in')) ?? names[0] ?? '';
  const results = useMemo(() => flag.environments[environment] ?? [], [flag, environment]);
  const result = results.find((one) => labelOf(one) === params.get('context')) ?? results[0];
  const production = useProductionNames().has(environment);
  if (!result) return null;
  const missing = decidingNotGiven(result);
  const one: Question = {
    ...question,
    environments: [environment],
    projects: [flag.project],
    contexts: [result.context as Context],
  };
  return (
    <Inspector
      title={<span className={partStyles.mono}>{flag.name}</span>}
      onClose={() => setParams({ flag: '', in: '', context: '' })}
      footer={<Footer question={one} flag={flag} evaluatedAt={evaluatedAt} />}
    >
      <div className={partStyles.stack}>
        {missing.length > 0 && <Banner tone="warn">{words.mayDiffer(missing)}</Banner>}
        {question.at !== '' && (
          <Banner tone="warn">
            {words.asOf} {isRevision(question.at) ? <code>r{question.at}</code> : <TimeText at={question.at} exact />}
          </Banner>
        )}
        {names.length > 1 && (
          <Field label={words.environment}>
            <Select
              mono
              value={environment}
              onChange={(value) => setParams({ in: value })}
              options={names.map((name) => ({ value: name, label: name }))}
            />
          </Field>
        )}
        {contexts.length > 1 && (
          <Field label={words.context}>
            <Combobox
              mono
              value={labelOf(result)}
              onChange={(value) => setParams({ context: value ?? '' })}
              options={results.map((each) => ({ value: labelOf(each), label: labelOf(each) }))}
            />
          </Field>
        )}
        <div className={partStyles.row}>
          <EnvironmentMark name={environment} production={production} />
          <Outcome result={result} />
        </div>
        <code className={partStyles.quiet}>{labelOf(result)}</code>
        <section className={partStyles.stack}>
          <h3 className={partStyles.heading}>{words.why}</h3>
          <p>
            <Words text={reasonOf(result, environment)} />
          </p>
        </section>
        <VariantOf result={result} />
        <Strategies result={result} />
      </div>
    </Inspector>
  );
}

function Strategies({ result }: { readonly result: Result }) {
  const { data } = result.strategies;
  return (
    <section className={partStyles.stack}>
      <h3 className={partStyles.heading}>{words.strategies}</h3>
      {data.length === 0 && <p className={partStyles.quiet}>{words.noStrategies}</p>}
      <ol className={styles.verdicts}>
        {data.map((verdict, at) => (
          <VerdictView
            key={verdict.id}
            verdict={verdict}
            sign={data.length > 1 ? ruleSign(at) : ''}
            context={result.context as Context}
          />
        ))}
      </ol>
    </section>
  );
}

function VariantOf({ result }: { readonly result: Result }) {
  const { variant } = result;
  if (!variant?.enabled) return null;
  return (
    <section className={partStyles.stack}>
      <h3 className={partStyles.heading}>{words.variant}</h3>
      <code>{variant.name}</code>
      {variant.payload && (
        <CodeBlock
          title={`${words.payload} (${variant.payload.type})`}
          label={words.payload}
          code={variant.payload.value}
        />
      )}
    </section>
  );
}
