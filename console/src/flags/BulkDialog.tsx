import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { BASE_PATH } from '../base-path.ts';
import { type BulkAction, type BulkOutcome, changeMany, switchManyLater } from '../data/bulk.ts';
import { flagRows } from '../data/flag-rows.ts';
import { forget, useKept } from '../data/kept.ts';
import { keys } from '../data/keys.ts';
import { useLastUse } from '../data/last-use.ts';
import { useClosedByBack } from '../data/opened.ts';
import { queryClient } from '../data/query-client.ts';
import { showReceipt } from '../data/receipts.ts';
import { tagTypesQuery } from '../data/settings.ts';
import { type FlagRow, IN_USE_MS, isOnIn } from '../domain/flag-row.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Dialog } from '../kit/overlays/Dialog.tsx';
import { TagChoice } from '../parts/TagChoice.tsx';
import { path } from '../paths.ts';
import { Reason } from '../save/Reason.tsx';
import { Restored } from '../save/Restored.tsx';
import { SaveButtons } from '../save/SaveButtons.tsx';
import { bulk as words } from '../words/en/flags/bulk.ts';
import { save as saveWords } from '../words/en/save.ts';
import styles from './BulkBar.module.css';
import { ADDRESS_CHARS_MAX, type BulkKind } from './bulk-kinds.ts';
import type { ListEnvironment } from './list-environments.ts';

/** The list of flags, with these selected and the dialog open. */
const linkOf = (bulk: BulkKind, selected: ReadonlySet<string>) =>
  `${location.origin}${BASE_PATH}${path('features', {}, { bulk, flags: [...selected].map(encodeURIComponent).join(',') })}`;

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly selected: ReadonlySet<string>;
  readonly environments: readonly ListEnvironment[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Choice {
  readonly environment: string;
  readonly tagType: string;
  readonly tagValue: string;
  readonly isRemoval: boolean;
}

function actionOf(kind: BulkKind, choice: Choice): BulkAction {
  if (kind === 'on' || kind === 'off') return { kind: 'switch', environment: choice.environment, on: kind === 'on' };
  if (kind === 'tag')
    return { kind: 'tag', type: choice.tagType, value: choice.tagValue.trim(), remove: choice.isRemoval };
  if (kind === 'archive') return { kind: 'archive' };
  return { kind: 'stale', stale: kind === 'stale' };
}

/** The flags that the action changes: others have the state already, or are in a project without the environment. */
function concernedBy(action: BulkAction, flags: readonly FlagRow[]) {
  const changes = (row: FlagRow): boolean => {
    if (action.kind === 'switch') return isOnIn(row, action.environment) === !action.on;
    if (action.kind === 'tag') return row.tags.includes(`${action.type}:${action.value}`) === action.remove;
    if (action.kind === 'stale') return row.stale !== action.stale;
    return true;
  };
  const isMissing = (row: FlagRow) => action.kind === 'switch' && isOnIn(row, action.environment) === undefined;
  const missing = flags.filter(isMissing).length;
  const concerned = flags.filter(changes);
  return { concerned, missing, already: flags.length - concerned.length - missing };
}

/** What was done, or is done at a time. */
interface Shown extends BulkOutcome {
  readonly at?: Date;
}

function Outcome({ kind, outcome }: { readonly kind: BulkKind; readonly outcome: Shown }) {
  const refused = outcome.refused.reduce((sum, { names }) => sum + names.length, 0);
  return (
    <>
      <Banner tone={refused > 0 ? 'warn' : 'good'}>
        {outcome.at
          ? words.scheduled(outcome.done.length, outcome.at)
          : `${(kind === 'archive' ? words.archived : words.done)(outcome.done.length)}.`}{' '}
        {refused > 0 && words.refused(refused)}
      </Banner>
      {refused > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, so the keyboard must reach it.
        <ul className={styles.refused} tabIndex={0} aria-label={words.refused(refused)}>
          {outcome.refused.map(({ names, message }) => (
            <li key={names.join()}>
              <code>{names.join(', ')}</code>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Choices({
  kind,
  choice,
  onChange,
  environments,
}: {
  readonly kind: BulkKind;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
  readonly environments: readonly ListEnvironment[];
}) {
  const { data: tagTypes } = useQuery({ ...tagTypesQuery, enabled: kind === 'tag' });
  if (kind === 'on' || kind === 'off') {
    return (
      <Field label={words.environment}>
        <Select
          options={environments.map(({ name }) => ({ value: name, label: name }))}
          value={choice.environment}
          onChange={(environment) => onChange({ ...choice, environment })}
        />
      </Field>
    );
  }
  if (kind !== 'tag') return null;
  return (
    <>
      <Field label={words.tagType}>
        <Select
          options={(tagTypes ?? []).map(({ name }) => ({ value: name, label: name }))}
          value={choice.tagType}
          onChange={(tagType) => onChange({ ...choice, tagType })}
        />
      </Field>
      <TagChoice
        required
        label={words.tagValue}
        type={choice.tagType}
        value={choice.tagValue}
        onChange={(tagValue) => onChange({ ...choice, tagValue })}
      />
      <Checkbox
        label={words.remove}
        checked={choice.isRemoval}
        onChange={(isRemoval) => onChange({ ...choice, isRemoval })}
      />
    </>
  );
}

function Progress({ done, of, label }: { readonly done: number; readonly of: number; readonly label: string }) {
  return (
    <div role="status">
      <progress className={styles.progress} value={done} max={of} aria-label={label} />
      {words.progress(done, of)}
    </div>
  );
}

/** Flags that SDKs asked for lately: archiving them changes what SDKs get. */
function InUse({ flags }: { readonly flags: readonly FlagRow[] }) {
  const { lastUse } = useLastUse(true);
  const { times, isComplete, failure } = lastUse;
  const count = flags.filter(({ name }) => Date.now() - (times.get(name) ?? 0) < IN_USE_MS).length;
  if (count === 0 && isComplete) return null;
  if (count === 0)
    return <Banner tone="warn">{failure ? words.lastUseUnknown(failure.message) : words.lastUseIsRead}</Banner>;
  return <Banner tone="warn">{flags.length === 1 ? words.inUse : words.inUseMany(count, flags.length)}</Banner>;
}

function Effect({
  kind,
  concerned,
  already,
  missing,
}: {
  readonly kind: BulkKind;
  readonly concerned: readonly FlagRow[];
  readonly already: number;
  readonly missing: number;
}) {
  return (
    <div role="status">
      <p>{(kind === 'archive' ? words.willBeArchived : words.willChange)(concerned.length)}</p>
      {already > 0 && <p className={styles.quiet}>{words.already(already)}</p>}
      {missing > 0 && <p className={styles.quiet}>{words.notThere(missing)}</p>}
      {kind === 'on' && <p className={styles.quiet}>{words.strategyAdded}</p>}
      {kind === 'archive' && <p className={styles.quiet}>{words.archiveHint}</p>}
      {kind === 'archive' && <InUse flags={concerned} />}
    </div>
  );
}

/** One flag that is archived is named. */
function titleOf(kind: BulkKind, flags: readonly FlagRow[]): string {
  const [first] = flags;
  return kind === 'archive' && flags.length === 1 && first
    ? words.archiveOne(first.name)
    : words.titles[kind](flags.length);
}

const isInProduction = (action: ReturnType<typeof actionOf>, environments: BulkDialogProps['environments']) =>
  action.kind === 'switch' && (environments.find(({ name }) => name === action.environment)?.isProduction ?? false);

const firstChoice = ([first]: BulkDialogProps['environments']): Choice => ({
  environment: first?.name ?? '',
  tagType: 'simple',
  tagValue: '',
  isRemoval: false,
});

interface Changing {
  readonly action: BulkAction;
  readonly concerned: readonly FlagRow[];
  readonly reason: string;
  readonly form: string;
  readonly title: string;
}

/** Changes the flags, now or at a time, and keeps how far it is and what came of it. */
function useChanging({ action, concerned, reason, form, title }: Changing) {
  const [progress, setProgress] = useState<number | null>(null);
  const [outcome, setOutcome] = useState<Shown | null>(null);
  const saving = (onProgress: (done: number) => void) => changeMany({ action, flags: concerned, reason, onProgress });
  const run = async () => {
    setProgress(0);
    const result = await saving(setProgress);
    setProgress(null);
    setOutcome(result);
    forget(form);
    if (result.revisions.length > 0) showReceipt(title, result.revisions);
  };
  const later =
    action.kind === 'switch'
      ? async (at: Date) => {
          setProgress(0);
          const result = await switchManyLater({ ...action, at, flags: concerned, reason, onProgress: setProgress });
          setProgress(null);
          setOutcome({ ...result, at });
          forget(form);
          void queryClient.invalidateQueries({ queryKey: keys.changeRequests() });
        }
      : undefined;
  return { progress, outcome, saving, run, later };
}

/** Shows how many flags change, asks why, and shows what was refused. */
export function BulkDialog({ kind, selected, environments, onClose, onDone }: BulkDialogProps) {
  const flags = useMemo(() => [...selected].flatMap((name) => flagRows.find(name) ?? []), [selected]);
  const form = `bulk ${kind}`;
  const [choice, setChoice] = useKept<Choice>('choice', () => firstChoice(environments), form);
  const [reason, setReason] = useKept('reason', '', form);
  const action = actionOf(kind, choice);
  const { concerned, missing, already } = concernedBy(action, flags);
  const isProduction = isInProduction(action, environments);
  const isIncomplete = kind === 'tag' && choice.tagValue.trim() === '';
  const title = titleOf(kind, flags);
  const link = linkOf(kind, selected);
  const { progress, outcome, saving, run, later } = useChanging({ action, concerned, reason, form, title });
  useClosedByBack(true, onClose);
  const cancel = () => {
    forget(form);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={() => (progress === null ? onClose() : undefined)}
      title={title}
      production={isProduction}
      hasDraft={reason !== ''}
      footer={
        outcome ? (
          <Button kind="primary" onClick={outcome.refused.length > 0 ? onClose : onDone}>
            {words.close}
          </Button>
        ) : (
          <SaveButtons
            label={isProduction ? words.runIn(choice.environment) : kind === 'archive' ? words.archiveRun : words.run}
            kind={isProduction ? 'production' : kind === 'archive' ? 'danger' : 'primary'}
            isPending={progress !== null}
            saving={() => saving(() => undefined)}
            link={() => link}
            linkBlocked={link.length > ADDRESS_CHARS_MAX ? saveWords.linkTooLong : undefined}
            blocked={concerned.length === 0 ? words.nobodyElse : isIncomplete ? words.tagValue : undefined}
            onSave={() => void run()}
            onLater={later && ((at) => void later(at))}
            onCancel={cancel}
          />
        )
      }
    >
      <div className={styles.form}>
        {outcome ? (
          <Outcome kind={kind} outcome={outcome} />
        ) : (
          <>
            <Restored form={form} />
            <Choices kind={kind} choice={choice} onChange={setChoice} environments={environments} />
            <Effect kind={kind} concerned={concerned} already={already} missing={missing} />
            <Reason value={reason} onChange={setReason} />
            {progress !== null && <Progress done={progress} of={concerned.length} label={title} />}
          </>
        )}
      </div>
    </Dialog>
  );
}
