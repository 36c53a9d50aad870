import type { PreviewAnswer } from '../data/save.ts';
import { meetingContexts } from '../domain/made-up-contexts.ts';
import type { Segment, StrategyDraft } from '../domain/model.ts';
import { isMadeUp, type TriedContexts } from '../domain/tried-contexts.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { save as words } from '../words/en/save.ts';
import { numberText } from '../words/number-text.ts';
import { constraintText } from '../words/rule-words.ts';
import { CostAfter } from './CostAfter.tsx';
import styles from './Save.module.css';
import { Words } from './Words.tsx';
import { whoParts } from './who-parts.ts';

/** The outcome of a preview. */
export interface Tried {
  readonly answer: PreviewAnswer;
  /** Those of the answer. */
  readonly contexts: TriedContexts;
}

type Counts = PreviewAnswer['flags'][number]['counts'];

function Numbers({ counts, total }: { readonly counts: Counts; readonly total: number }) {
  const parts = [
    { key: 'offToOn', count: counts.offToOn, text: words.offToOn },
    { key: 'onToOff', count: counts.onToOff, text: words.onToOff },
    { key: 'otherVariant', count: counts.otherVariant, text: words.otherVariant },
    { key: 'unchanged', count: counts.unchanged, text: words.unchanged },
  ];
  return (
    <>
      <div className={styles.bars} aria-hidden>
        {parts.map(({ key, count }) =>
          count > 0 ? <span key={key} data-kind={key} style={{ flexGrow: count / total }} /> : null,
        )}
      </div>
      <ul className={styles.counts}>
        {parts.map(({ key, count, text }) =>
          count > 0 || key === 'unchanged' ? (
            <li key={key} data-kind={key}>
              <span className={styles.swatch} aria-hidden />
              {text(numberText(count))}
            </li>
          ) : null,
        )}
      </ul>
    </>
  );
}

interface ContextWordsProps {
  readonly contexts: TriedContexts;
  readonly total: number;
  /** The rules that constraints of contexts are compared with. */
  readonly strategies: readonly StrategyDraft[];
  readonly segments: readonly Pick<Segment, 'id' | 'constraints'>[];
}

/** What the contexts are, and how many of them the rule is about: 10 % of one country are few of all contexts. */
function ContextWords({ contexts, total, strategies, segments }: ContextWordsProps) {
  if (!isMadeUp(contexts))
    return <p className={styles.quiet}>{words.chosenContexts(numberText(total), contexts.set)}</p>;
  const { combined, sent, undefinedFields } = contexts;
  const { count, field } = sent.madeUp;
  const parts = combined.map((one) => words.valuesOf(numberText(one.values.length), one.field));
  const meeting = meetingContexts(contexts, strategies, segments);
  return (
    <>
      <p className={styles.quiet}>
        {words.contexts(numberText(total), numberText(count), field, parts)}
        {meeting && ` ${words.meeting(numberText(meeting.count), meeting.constraints.map(constraintText))}`}
      </p>
      {undefinedFields.length > 0 && (
        <p className={styles.quiet}>
          <Words text={words.notMadeUp(undefinedFields)} />
        </p>
      )}
    </>
  );
}

interface TriedOutcomeProps {
  readonly tried: Tried;
  readonly feature: string;
  /** Where the contexts are evaluated. */
  readonly environment: string;
  /** The flag is off before and after the changes. */
  readonly isOff: boolean;
  /** The changes only add strategies to a flag that is on: where it stays on, it is by the strategies that were there. */
  readonly isOnlyAdded: boolean;
  /** Those after the changes. */
  readonly strategies: readonly StrategyDraft[];
  readonly segments: readonly Pick<Segment, 'id' | 'constraints'>[];
}

/** Who gets another result and why, what the rules cost afterwards, and which other flags are affected. */
export function TriedOutcome(props: TriedOutcomeProps) {
  const { tried, feature, environment, isOff, isOnlyAdded, strategies, segments } = props;
  const { answer, contexts } = tried;
  const parts = whoParts.useParts();
  const flag = answer.flags.find(({ name }) => name === feature);
  const others = answer.flags.filter(
    ({ name, counts }) => name !== feature && counts.offToOn + counts.onToOff + counts.otherVariant > 0,
  );
  if (!flag) return null;
  return (
    <>
      <div role="status">
        <ContextWords contexts={contexts} total={answer.contexts} strategies={strategies} segments={segments} />
        <Numbers counts={flag.counts} total={answer.contexts} />
        {flag.staysOn > 0 && (
          <p className={styles.quiet}>
            {(isOnlyAdded ? words.staysOnByOther : words.staysOn)(
              numberText(flag.staysOn),
              numberText(flag.counts.unchanged),
            )}
          </p>
        )}
        {isOff && <p className={styles.quiet}>{words.flagStaysOff}</p>}
        <CostAfter measures={flag.measures} />
        {flag.warnings.map(({ message }) => (
          <Banner key={message} tone="warn">
            {message}
          </Banner>
        ))}
        {others.length > 0 && <p>{words.alsoAffected(others.map(({ name }) => name).join(', '))}</p>}
      </div>
      {parts && <parts.Examples flag={flag} environment={environment} />}
    </>
  );
}
