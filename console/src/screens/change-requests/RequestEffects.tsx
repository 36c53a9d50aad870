import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { featureQuery } from '../../data/feature.ts';
import { usableTemplatesQuery } from '../../data/release-templates.ts';
import { useContextFields, useSegments } from '../../data/settings.ts';
import { isOnlyAdded } from '../../domain/changes.ts';
import { contextsFor } from '../../domain/made-up-contexts.ts';
import type {
  ChangeRequest,
  Constraint,
  ContextField,
  EnvironmentSettings,
  Segment,
  StrategyDraft,
} from '../../domain/model.ts';
import { isClosed, requestedSegments, rulesOfSegments, trialOf } from '../../domain/requested.ts';
import type { Chosen, ChosenContexts } from '../../domain/tried-contexts.ts';
import { constraintsOf } from '../../domain/unknown-names.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import styles from '../../parts/parts.module.css';
import { ContextsRow } from '../../save/ContextsRow.tsx';
import { PreviewFailure } from '../../save/PreviewFailure.tsx';
import { type Tried, TriedOutcome } from '../../save/TriedOutcome.tsx';
import { UnknownNames } from '../../save/UnknownNames.tsx';
import { requests as words } from '../../words/en/change-requests.ts';
import { effectsQuery } from './request-data.ts';

/** As many as the dialog that made the change tries. */
const CONTEXTS = 1_000;
/** Each flag has contexts of its own, so each may need its own preview. */
const FLAGS_AT_FIRST = 5;
/** A segment may be used by a thousand flags. */
const FLAGS_OF_SEGMENT = 20;
const NONE: readonly StrategyDraft[] = [];

interface TrialProps {
  readonly request: ChangeRequest;
  readonly fields: readonly ContextField[];
  /** Those that are there, and those as the request sets them. */
  readonly segments: readonly Pick<Segment, 'id' | 'constraints'>[];
  /** What the person chose instead of made-up contexts. */
  readonly chosen: ChosenContexts | undefined;
}

interface EffectsProps extends TrialProps {
  /** The rules that the contexts must meet. */
  readonly settings: readonly EnvironmentSettings[] | undefined;
  readonly children: (tried: Tried) => ReactNode;
}

function Effects({ request, fields, segments, chosen, settings, children }: EffectsProps) {
  const contexts = chosen ?? contextsFor(settings ?? [], fields, segments, CONTEXTS);
  const { data, error } = useQuery({ ...effectsQuery(request, contexts), enabled: settings !== undefined });
  if (error) return <PreviewFailure failure={error} contexts={contexts} lead={words.effectsFailed} />;
  return data ? children(data) : <Skeleton rows={2} />;
}

interface FlagEffectsProps extends TrialProps {
  readonly flag: ChangeRequest['features'][number];
}

function FlagEffects({ request, flag, fields, segments, chosen }: FlagEffectsProps) {
  const { data: feature, isPending } = useQuery({ ...featureQuery(request.project, flag.name), retry: false });
  const now = feature?.value.environments.find(({ name }) => name === request.environment);
  const addsPlan = flag.changes.some(({ action }) => action === 'addReleasePlan');
  const templates = useQuery({ ...usableTemplatesQuery(request.project), enabled: addsPlan });
  const { before, after, rules } = trialOf(flag, now, templates.data);
  const isRead = !isPending && (!addsPlan || !templates.isPending);
  return (
    <div className={styles.stack}>
      <h3 className={styles.mono}>{flag.name}</h3>
      <UnknownNames
        constraints={constraintsOf(after.strategies, segments)}
        before={constraintsOf(before.strategies, segments)}
      />
      <Effects
        request={request}
        fields={fields}
        segments={segments}
        chosen={chosen}
        settings={isRead ? rules : undefined}
      >
        {(tried) =>
          tried.answer.flags.some(({ name }) => name === flag.name) ? (
            <TriedOutcome
              tried={tried}
              feature={flag.name}
              environment={request.environment}
              isOff={!before.enabled && !after.enabled}
              isOnlyAdded={!addsPlan && isOnlyAdded(before, after)}
              strategies={after.strategies}
              segments={segments}
            />
          ) : (
            <p className={styles.quiet}>{words.effectsNone}</p>
          )
        }
      </Effects>
    </div>
  );
}

/** The flags that use the changed segments, except those that the request changes itself. */
function SegmentEffects({ request, fields, segments, chosen }: TrialProps) {
  const changed = requestedSegments(request);
  const own = new Set(request.features.map(({ name }) => name));
  return (
    <Effects
      request={request}
      fields={fields}
      segments={segments}
      chosen={chosen}
      settings={[rulesOfSegments(changed)]}
    >
      {(tried) => {
        const names = tried.answer.flags.map(({ name }) => name).filter((name) => !own.has(name));
        if (names.length === 0) return own.size === 0 && <p className={styles.quiet}>{words.effectsNone}</p>;
        return names.slice(0, FLAGS_OF_SEGMENT).map((name) => (
          <div key={name} className={styles.stack}>
            <h3 className={styles.mono}>{name}</h3>
            <TriedOutcome
              tried={tried}
              feature={name}
              environment={request.environment}
              isOff={false}
              isOnlyAdded={false}
              strategies={NONE}
              segments={segments}
            />
          </div>
        ));
      }}
    </Effects>
  );
}

/** The stored request is tried on contexts that meet its rules: reviewers see what its author saw. */
export function RequestEffects({ request }: { readonly request: ChangeRequest }) {
  const { data: fields } = useContextFields();
  const { data: segments } = useSegments();
  const [isAll, setAll] = useState(false);
  const [chosen, setChosen] = useState<Chosen>(undefined);
  const { features } = request;
  const changedSegments = requestedSegments(request);
  if (isClosed(request) || features.length + changedSegments.length === 0) return null;
  const shown = isAll ? features : features.slice(0, FLAGS_AT_FIRST);
  const isReady = fields && segments && chosen !== null;
  const trial = isReady && { request, fields, segments: [...segments, ...changedSegments], chosen };
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.effects}</h2>
      <div className={styles.card}>
        <ContextsRow onChange={setChosen} />
        {!trial && chosen !== null && <Skeleton rows={2} />}
        {trial && shown.map((flag) => <FlagEffects key={flag.name} {...trial} flag={flag} />)}
        {trial && (
          <UnknownNames
            constraints={changedSegments.flatMap(({ constraints }) => constraints)}
            before={(segments ?? []).flatMap(({ constraints }): readonly Constraint[] => constraints)}
          />
        )}
        {trial && changedSegments.length > 0 && <SegmentEffects {...trial} />}
        {shown.length < features.length && (
          <Button onClick={() => setAll(true)}>{words.effectsMore(features.length - shown.length)}</Button>
        )}
        {chosen === undefined && <p className={styles.quiet}>{words.effectsHint}</p>}
      </div>
    </section>
  );
}
