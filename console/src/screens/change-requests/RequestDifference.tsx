import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Link } from 'wouter';
import { api, read } from '../../data/client.ts';
import { featureQuery, useOpenRequests } from '../../data/feature.ts';
import { inTurn } from '../../data/in-turn.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useMe } from '../../data/may.ts';
import type { ChangeRequest, EnvironmentSettings } from '../../domain/model.ts';
import { settingsOf } from '../../domain/model.ts';
import { applyRequested, isClosed, type RequestedChange, strategyOf } from '../../domain/requested.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { Difference } from '../../save/Difference.tsx';
import { OtherRequests } from '../../save/OtherRequests.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { useQuickWrite } from '../../save/use-write.ts';
import { changeTexts, requests as words } from '../../words/en/change-requests.ts';
import { differenceWords, type Sentence } from '../../words/en/differences.ts';
import { type SegmentNames, strategyWords } from '../../words/en/rule-sentences.ts';
import { constraintText } from '../../words/rule-words.ts';
import { type PlanNames, planChangeWords, usePlanNames } from './plan-change-words.ts';
import { removeChange } from './request-data.ts';

type OfFlag = ChangeRequest['features'][number];
type OfSegment = ChangeRequest['segments'][number];

const NO_NAMES: PlanNames = new Map();
const NO_FLAGS: readonly string[] = [];

/** A change alone, without the state that it changes. */
export function changeWords(change: RequestedChange, segments: SegmentNames, names: PlanNames = NO_NAMES): string {
  const payload = (change.payload ?? {}) as Record<string, unknown>;
  switch (change.action) {
    case 'updateEnabled':
      return payload.enabled ? changeTexts.on : changeTexts.off;
    case 'addStrategy':
      return changeTexts.added(strategyWords(strategyOf(payload), segments));
    case 'updateStrategy':
      return changeTexts.set(strategyWords(strategyOf(payload), segments));
    case 'deleteStrategy':
      return changeTexts.strategyDeleted;
    case 'reorderStrategy':
      return changeTexts.order;
    case 'patchVariant':
      return changeTexts.variants(
        ((payload.variants as { name: string }[]) ?? []).map(({ name }) => `\`${name}\``).join(', '),
      );
    case 'archiveFeature':
      return changeTexts.archived;
    case 'addDependency':
      return changeTexts.parent(payload.feature);
    case 'deleteDependency':
      return changeTexts.noParent(payload.feature);
    case 'updateSegment':
      return changeTexts.segment(
        ((payload.constraints as Parameters<typeof constraintText>[0][]) ?? []).map(constraintText).join(' and '),
      );
    case 'deleteSegment':
      return changeTexts.segmentDeleted;
    default:
      return planChangeWords(change, names) ?? change.action;
  }
}

const IN_ENVIRONMENT = new Set([
  'updateEnabled',
  'addStrategy',
  'updateStrategy',
  'deleteStrategy',
  'reorderStrategy',
  'patchVariant',
]);

/** By its sides, a change is shown as an addition, a removal, or neither. */
function sidesOf({ action, payload }: RequestedChange): Pick<Sentence, 'before' | 'after'> {
  const value = payload ?? {};
  if (action.startsWith('add')) return { after: value };
  return action.startsWith('delete') ? { before: value } : { before: {}, after: value };
}

/** A change that switches the flag to what it is. */
function alreadyWords(
  changes: readonly RequestedChange[],
  { enabled }: EnvironmentSettings,
  after: EnvironmentSettings,
): Sentence[] {
  const isSwitched = changes.some(({ action }) => action === 'updateEnabled');
  return isSwitched && enabled === after.enabled ? [{ text: changeTexts.already(enabled) }] : [];
}

/** How many flags of a closed request are read as they were: each needs two reads of the past. */
const PAST_FLAGS = 10;

/** The settings of the flag directly before the request was closed and then; undefined if that is not recorded or not read. */
function usePastSettings(request: ChangeRequest, flag: OfFlag, isWanted: boolean) {
  const { project, environment, closedAt } = request;
  const closedMs = closedAt === undefined ? 0 : Date.parse(closedAt);
  const reading = (ms: number) => {
    const at = new Date(ms).toISOString();
    const params = { path: { projectId: project, featureName: flag.name }, query: { at } };
    return {
      queryKey: keys.own('past', at, 'feature', project, flag.name),
      queryFn: () => inTurn(() => read(api.GET('/api/admin/projects/{projectId}/features/{featureName}', { params }))),
      enabled: isWanted && closedAt !== undefined,
      retry: false,
    } as const;
  };
  const [before, after] = [useQuery(reading(closedMs - 1)).data, useQuery(reading(closedMs)).data];
  const inIt = (feature: typeof before) => feature?.environments?.find(({ name }) => name === environment);
  return { before: inIt(before), after: request.state === 'Applied' ? inIt(after) : undefined };
}

/** While it is open: the difference to what is there now. Afterwards: to what was there when it was closed. */
function useSentences(
  request: ChangeRequest,
  flag: OfFlag,
  isPastRead: boolean,
): {
  sentences: readonly Sentence[];
  json: { before: unknown; after: unknown } | undefined;
  names: PlanNames;
} {
  const segments = useSegmentNames();
  const { data: feature } = useQuery({
    ...featureQuery(request.project, flag.name),
    enabled: !isClosed(request),
    retry: false,
  });
  const past = usePastSettings(request, flag, isPastRead && isClosed(request));
  const now = isClosed(request)
    ? past.before
    : feature?.value.environments.find(({ name }) => name === request.environment);
  const names = usePlanNames(request.project, flag.changes, now);
  const extra = flag.defaultChange
    ? [
        {
          text: changeTexts.defaultStrategy(strategyWords(strategyOf(flag.defaultChange.payload), segments)),
          after: flag.defaultChange.payload,
        },
      ]
    : [];
  const alone = (changes: readonly RequestedChange[]) =>
    changes.map((change): Sentence => ({ text: changeWords(change, segments, names), ...sidesOf(change) }));
  if (!now || flag.conflict) return { sentences: [...alone(flag.changes), ...extra], json: undefined, names };
  const before = settingsOf(now);
  const inEnvironment = flag.changes.filter(({ action }) => IN_ENVIRONMENT.has(action));
  const after = past.after ? settingsOf(past.after) : applyRequested(before, inEnvironment);
  return {
    sentences: [
      ...differenceWords(before, after, segments, flag.name),
      ...alreadyWords(inEnvironment, before, after),
      ...extra,
      ...alone(flag.changes.filter(({ action }) => !IN_ENVIRONMENT.has(action))),
    ],
    json: { before, after },
    names,
  };
}

interface ChangesProps {
  readonly request: ChangeRequest;
  readonly changes: readonly RequestedChange[];
  readonly names?: PlanNames;
}

/** Each change by itself: why it no longer fits, and how to remove it. */
function SingleChanges({ request, changes, names = NO_NAMES }: ChangesProps) {
  const segments = useSegmentNames();
  const { run } = useQuickWrite();
  const isAuthorOrAdmin = useIsAuthor(request);
  const canEdit = isAuthorOrAdmin && ['Draft', 'In review', 'Approved'].includes(request.state);
  const shown = canEdit ? changes : changes.filter(({ conflict }) => conflict);
  if (shown.length === 0) return null;
  const list = (
    <ul className={styles.items}>
      {shown.map((change) => (
        <li key={change.id}>
          <span className={`${styles.grow} ${styles.quiet}`}>
            {changeWords(change, segments, names).replace(/[`*]/g, '')}
            {change.conflict && (
              <Banner tone="bad" title={words.conflict}>
                {change.conflict}
              </Banner>
            )}
          </span>
          {canEdit && (
            <IconButton
              size="small"
              icon={<X aria-hidden />}
              label={words.removeChange}
              onClick={() =>
                void run(() => removeChange(request, change.id), {
                  text: words.changeRemoved,
                  refresh: [keys.changeRequest(request.id)],
                })
              }
            />
          )}
        </li>
      ))}
    </ul>
  );
  if (changes.some(({ conflict }) => conflict)) return list;
  return (
    <details>
      <summary className={styles.quiet}>{words.single}</summary>
      {list}
    </details>
  );
}

export function useIsAuthor(request: ChangeRequest): boolean {
  const mayNot = useMay('ADMIN');
  const me = useMe().data?.user.id;
  return mayNot === undefined || me === request.createdBy.id;
}

function FlagChanges({
  request,
  flag,
  production,
  others,
  isPastRead,
}: {
  readonly request: ChangeRequest;
  readonly flag: OfFlag;
  readonly production: boolean;
  readonly others: ReturnType<typeof useOpenRequests>;
  readonly isPastRead: boolean;
}) {
  const { sentences, json, names } = useSentences(request, flag, isPastRead);
  return (
    <div className={styles.stack}>
      {flag.conflict && (
        <Banner tone="bad" title={words.conflict}>
          {flag.conflict} {words.conflictHint}
        </Banner>
      )}
      <Difference
        production={production}
        title={
          <span className={styles.row}>
            <Link
              className={`${styles.mono} ${styles.link}`}
              href={path('feature', { projectId: request.project, featureId: flag.name })}
            >
              {flag.name}
            </Link>
            <EnvironmentMark name={request.environment} production={production} />
          </span>
        }
        sentences={sentences}
        {...(json && { json })}
      />
      <OtherRequests requests={others} />
      <SingleChanges request={request} changes={flag.changes} names={names} />
    </div>
  );
}

function SegmentChanges({ request, segment }: { readonly request: ChangeRequest; readonly segment: OfSegment }) {
  const names = useSegmentNames();
  return (
    <div className={styles.stack}>
      <Difference
        title={segment.name}
        sentences={segment.changes.map((change) => ({
          text: changeWords(change as RequestedChange, names),
          ...sidesOf(change as RequestedChange),
        }))}
      />
      <SingleChanges request={request} changes={segment.changes as readonly RequestedChange[]} />
    </div>
  );
}

export function RequestDifference({
  request,
  production,
}: {
  readonly request: ChangeRequest;
  readonly production: boolean;
}) {
  const { id, project, environment, features } = request;
  const open = useOpenRequests(project, environment, isClosed(request) ? NO_FLAGS : features.map(({ name }) => name));
  const others = open.filter((one) => one.id !== id);
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.changes}</h2>
      {request.features.length + request.segments.length === 0 && <p className={styles.quiet}>{words.noChanges}</p>}
      {features.map((flag, index) => (
        <FlagChanges
          key={flag.name}
          request={request}
          flag={flag}
          production={production}
          others={others.filter((one) => one.features.includes(flag.name))}
          isPastRead={index < PAST_FLAGS}
        />
      ))}
      {request.segments.map((segment) => (
        <SegmentChanges key={segment.name} request={request} segment={segment} />
      ))}
    </section>
  );
}
