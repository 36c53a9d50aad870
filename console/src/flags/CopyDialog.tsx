import { useEffect, useState } from 'react';
import type { components } from '../api/schema.d.ts';
import { api, stated, write } from '../data/client.ts';
import type { Failure } from '../data/failure.ts';
import { forget, useFormKey, useKept } from '../data/kept.ts';
import type { MayNot } from '../data/may.ts';
import { isProduction as isProductionType, useProjectEnvironments } from '../data/settings.ts';
import type { Feature, StrategyDraft } from '../domain/model.ts';
import { type Change, Diff } from '../kit/changes/Diff.tsx';
import { EnvironmentMark } from '../kit/changes/EnvironmentMark.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Inspector } from '../kit/overlays/Inspector.tsx';
import { Checks } from '../parts/Checks.tsx';
import { FailureText } from '../save/FailureText.tsx';
import { Reason } from '../save/Reason.tsx';
import { Restored } from '../save/Restored.tsx';
import { SaveButtons } from '../save/SaveButtons.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { useWrite } from '../save/use-write.ts';
import { Words } from '../save/Words.tsx';
import styles from '../strategies/Editor.module.css';
import { strategySentences } from '../words/en/differences.ts';
import { copy as words } from '../words/en/flags/feature.ts';
import { type SegmentNames, strategyName } from '../words/en/rule-sentences.ts';
import { save as saveWords } from '../words/en/save.ts';

type Copied = components['schemas']['environmentCopy'];
type Part = keyof typeof words.partNames;
const PARTS = Object.keys(words.partNames) as Part[];

function changesOf(target: Copied, segments: SegmentNames): Change[] {
  const changes: Change[] = [];
  const { before, after } = target.enabled;
  if (before !== after) changes.push({ kind: 'changed', text: <Words text={after ? words.on : words.off} /> });
  const named = (strategy: object) => strategyName(strategy as StrategyDraft, segments);
  for (const strategy of target.removedStrategies)
    changes.push({ kind: 'removed', text: words.removed(named(strategy)) });
  for (const strategy of target.addedStrategies) changes.push({ kind: 'added', text: words.added(named(strategy)) });
  for (const changed of target.changedStrategies) {
    const was: StrategyDraft = changed.before;
    const now: StrategyDraft = { ...changed.after, id: was.id };
    for (const { text } of strategySentences(was, now, segments)) {
      changes.push({ kind: 'changed', text: <Words text={`${named(was)} — ${text}`} /> });
    }
  }
  if (target.variants) changes.push({ kind: 'changed', text: words.variants });
  return changes;
}

/** The environment behind this one, in the order of the instance: what is tried here goes there next. */
function nextOf({ environments }: Feature, environment: string): readonly string[] {
  const names = [...environments].sort((a, b) => a.sortOrder - b.sortOrder).map(({ name }) => name);
  return names.slice(names.indexOf(environment) + 1).slice(0, 1);
}

interface CopyDialogProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly isProduction: boolean;
  /** The environments that are chosen at first; the next one, if it is not given. */
  readonly initialTargets?: readonly string[];
  /** The flag is not named beside the panel. */
  readonly hasName?: boolean;
  readonly mayNot?: MayNot;
  readonly onClose: () => void;
}

interface Preview {
  readonly flag: Feature;
  /** The choice that it is of. */
  readonly key: string;
  readonly targets: readonly Copied[];
  readonly failure: Failure | null;
}

/** A preview is checked as the copy is, and stores nothing: a demanded reason is entered when its difference is seen. */
const PREVIEW_REASON = 'preview';

/** Asks the server what a copy would change, as often as the choice changes. Undefined until the answer to the current choice is there. */
function usePreview(
  flag: Feature,
  environment: string,
  targets: readonly string[],
  parts: readonly Part[],
): Preview | undefined {
  const [latest, setLatest] = useState<Preview>();
  const key = JSON.stringify([environment, targets, parts]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has the environment and both lists; the flag is read again after it changed.
  useEffect(() => {
    const asked = { flag, key, targets: [], failure: null };
    if (targets.length === 0 || parts.length === 0) return setLatest(asked);
    let isLatest = true;
    void copyTo(flag, environment, targets, parts, true, PREVIEW_REASON).then((answer) => {
      if (!isLatest) return;
      setLatest(answer.ok ? { ...asked, targets: answer.value.targets } : { ...asked, failure: answer.failure });
    });
    return () => {
      isLatest = false;
    };
  }, [flag, key]);
  return latest?.flag === flag && latest.key === key ? latest : undefined;
}

const copyTo = (
  flag: Feature,
  environment: string,
  targets: readonly string[],
  parts: readonly Part[],
  preview: boolean,
  reason: string,
) =>
  write(
    api.POST('/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/copy', {
      params: { path: { projectId: flag.project, featureName: flag.name, environment }, query: { preview } },
      headers: stated({ reason }),
      body: { targets: [...targets], parts: [...parts] },
    }),
  );

const isProductionIn = (flag: Feature, name: string) =>
  isProductionType(flag.environments.find((one) => one.name === name)?.type);

interface ChoicesProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly targets: readonly string[];
  readonly parts: readonly Part[];
  readonly onTargets: (targets: readonly string[]) => void;
  readonly onParts: (parts: readonly Part[]) => void;
}

function Choices({ flag, environment, targets, parts, onTargets, onParts }: ChoicesProps) {
  return (
    <>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{words.targets}</legend>
        <Checks
          options={flag.environments
            .filter(({ name }) => name !== environment)
            .map(({ name }) => ({
              value: name,
              label: <EnvironmentMark name={name} production={isProductionIn(flag, name)} />,
            }))}
          values={targets}
          onChange={onTargets}
        />
      </fieldset>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{words.parts}</legend>
        <div className={styles.same}>
          <Checks
            options={PARTS.map((part) => ({ value: part, label: words.partNames[part] }))}
            values={parts}
            onChange={onParts}
          />
        </div>
      </fieldset>
    </>
  );
}

interface DifferenceProps {
  readonly flag: Feature;
  readonly preview: Preview | undefined;
}

function Difference({ flag, preview }: DifferenceProps) {
  const segments = useSegmentNames();
  if (!preview) return <Skeleton rows={2} />;
  if (preview.targets.length === 0) return null;
  return (
    <Diff
      groups={preview.targets.map((target) => {
        const production = isProductionIn(flag, target.environment);
        return {
          key: target.environment,
          title: <EnvironmentMark name={target.environment} production={production} />,
          production,
          changes: changesOf(target, segments),
        };
      })}
    />
  );
}

/** Why the copy cannot be saved as it is. What is copied was shown before. */
function blockedBy(targets: readonly string[], preview: Preview | undefined, isReasonMissing: boolean) {
  if (targets.length === 0) return words.choose;
  if (!preview) return words.reading;
  if (preview.failure) return words.unknown;
  if (!preview.targets.some(({ isChanged }) => isChanged)) return words.same;
  return isReasonMissing ? saveWords.reasonNeeded : undefined;
}

/** Copies the settings of one environment to others: the exact difference first, then one commit for all. */
export function CopyDialog({
  flag,
  environment,
  isProduction,
  initialTargets = nextOf(flag, environment),
  hasName = false,
  mayNot,
  onClose,
}: CopyDialogProps) {
  const form = useFormKey();
  const done = () => {
    forget(form);
    onClose();
  };
  const [targets, setTargets] = useKept('targets', initialTargets);
  const [parts, setParts] = useKept<readonly Part[]>('parts', PARTS);
  const [reason, setReason] = useKept('reason', '');
  const { run, isPending, failure } = useWrite();
  const preview = usePreview(flag, environment, targets, parts);
  const saving = () => copyTo(flag, environment, targets, parts, false, reason);
  const { data: environments } = useProjectEnvironments(flag.project);
  const needsReason = environments?.some(({ name, requireReason }) => requireReason && targets.includes(name)) ?? false;
  const copy = () =>
    run(saving, {
      text: words.done(flag.name, environment, targets.join(', ')),
      isDelivered: true,
      onDone: done,
    });
  const isToProduction = targets.some((name) => isProductionIn(flag, name));
  return (
    <Inspector
      title={
        <span className={styles.title}>
          {hasName && <code>{flag.name} </code>}
          {words.title(environment)}
        </span>
      }
      production={isProduction || isToProduction}
      onClose={onClose}
      footer={
        <SaveButtons
          label={targets.length === 0 ? words.run : words.runTo(targets.join(', '))}
          kind={isToProduction ? 'production' : 'primary'}
          isPending={isPending}
          saving={saving}
          blocked={mayNot ?? blockedBy(targets, preview, needsReason && reason.trim() === '')}
          onSave={() => void copy()}
          onCancel={done}
        />
      }
    >
      <div className={styles.editor}>
        <Restored form={form} />
        <Choices
          flag={flag}
          environment={environment}
          targets={targets}
          parts={parts}
          onTargets={setTargets}
          onParts={setParts}
        />
        <Difference flag={flag} preview={preview} />
        <Reason value={reason} onChange={setReason} isNeeded={needsReason} />
        <FailureText failure={failure ?? preview?.failure ?? null} />
      </div>
    </Inspector>
  );
}
