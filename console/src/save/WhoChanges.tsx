import { useContext, useEffect, useMemo, useState } from 'react';
import { reachable } from '../data/client.ts';
import type { Failure } from '../data/failure.ts';
import { type FlagChange, previewChanges, type Target } from '../data/save.ts';
import { session } from '../data/session.ts';
import { useContextFields, useSegments } from '../data/settings.ts';
import { useStore } from '../data/store.ts';
import { changesBetween, isOnlyAdded } from '../domain/changes.ts';
import { contextsFor } from '../domain/made-up-contexts.ts';
import type { EnvironmentSettings, Segment, StrategyDraft } from '../domain/model.ts';
import type { Chosen, TriedContexts } from '../domain/tried-contexts.ts';
import { constraintsOf } from '../domain/unknown-names.ts';
import { Segmented } from '../kit/inputs/Segmented.tsx';
import { save as words } from '../words/en/save.ts';
import { numberText } from '../words/number-text.ts';
import { ContextsRow } from './ContextsRow.tsx';
import { IsSaving } from './is-saving.ts';
import { PreviewFailure } from './PreviewFailure.tsx';
import styles from './Save.module.css';
import { type Tried, TriedOutcome } from './TriedOutcome.tsx';
import { whoParts } from './who-parts.ts';

const COUNTS = ['1000', '10000'] as const;
/** While the draft changes with every key, only its latest state is tried. */
const TRY_AFTER_MS = 250;
const NONE: readonly StrategyDraft[] = [];
const NO_SEGMENTS: readonly Segment[] = [];

/** What is tried: contexts, and the rules of the draft that they are made for. */
interface Trial {
  readonly contexts: TriedContexts;
  readonly strategies: readonly StrategyDraft[];
  readonly segments: readonly Segment[];
}

interface WhoChangesProps {
  readonly target: Target;
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  /** Those of a milestone that the save starts: the contexts must meet their rules, too. */
  readonly starting?: readonly StrategyDraft[] | undefined;
  /** What the save sends instead of the difference, with the same outcome. */
  readonly change?: FlagChange;
}

/** An answer with what was tried for it, which is not the latest draft while another answer is awaited. */
interface TriedDraft extends Tried, Trial {}

/** The outcome of the latest draft. The earlier one stays until it is there. Without contexts, there is none. */
function useTry({ target, base, mine, change }: WhoChangesProps, trial: Trial | null) {
  const [tried, setTried] = useState<TriedDraft | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isTrying, setTrying] = useState(true);
  const { project, feature, environment } = target;
  // The counts are asked for again after a new sign-on, and when the server is back.
  const sessionState = useStore(session);
  const isReachable = useStore(reachable);
  const isSaving = useContext(IsSaving);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the session and of the server starts a new try.
  useEffect(() => {
    if (isSaving) return;
    let isLatest = true;
    setTrying(trial !== null);
    if (!trial) {
      setTried(null);
      setFailure(null);
      return;
    }
    const timer = setTimeout(async () => {
      const changes = change ? [change] : changesBetween(base, mine);
      const written = await previewChanges({ project, feature, environment }, changes, trial.contexts.sent);
      if (!isLatest) return;
      setTrying(false);
      setTried(written.ok ? { ...trial, answer: written.value } : null);
      setFailure(written.ok ? null : written.failure);
    }, TRY_AFTER_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [project, feature, environment, base, mine, change, trial, sessionState, isReachable, isSaving]);
  return { tried, failure, isTrying };
}

/** Tries the draft on contexts, without saving it. */
export function WhoChanges(props: WhoChangesProps) {
  const { target, base, mine, starting = NONE } = props;
  const [count, setCount] = useState<(typeof COUNTS)[number]>('1000');
  const [chosen, setChosen] = useState<Chosen>(undefined);
  const { feature, environment } = target;
  const { data: fields } = useContextFields();
  const { data: segments = NO_SEGMENTS } = useSegments();
  const trial = useMemo(
    () =>
      chosen === null
        ? null
        : {
            contexts:
              chosen ??
              contextsFor([base, mine, { ...mine, strategies: starting }], fields ?? [], segments, Number(count)),
            strategies: [...mine.strategies, ...starting],
            segments,
          },
    [chosen, base, mine, starting, fields, segments, count],
  );
  const { tried, failure, isTrying } = useTry(props, trial);
  const parts = whoParts.useParts();
  const flag = tried?.answer.flags.find(({ name }) => name === feature);
  return (
    <section className={styles.who} aria-busy={isTrying}>
      <h3>{words.whoChanges}</h3>
      {parts && (
        <parts.UnknownNames
          constraints={constraintsOf([...mine.strategies, ...starting], segments)}
          before={constraintsOf(base.strategies, segments)}
        />
      )}
      <ContextsRow onChange={setChosen}>
        {chosen === undefined && (
          <Segmented
            label={words.whoChanges}
            options={COUNTS.map((value) => ({ value, label: numberText(Number(value)) }))}
            value={count}
            onChange={setCount}
          />
        )}
      </ContextsRow>
      {failure && trial && <PreviewFailure failure={failure} contexts={trial.contexts} />}
      {isTrying && !failure && !flag && <p className={styles.quiet}>{words.trying}</p>}
      {flag && tried && (
        <TriedOutcome
          tried={tried}
          feature={feature}
          environment={environment}
          isOff={!base.enabled && !mine.enabled}
          isOnlyAdded={isOnlyAdded(base, mine)}
          strategies={tried.strategies}
          segments={tried.segments}
        />
      )}
      {chosen === undefined && <p className={styles.small}>{words.madeUp}</p>}
    </section>
  );
}
