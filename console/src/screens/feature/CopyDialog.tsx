import { useEffect, useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';
import type { Failure } from '../../data/failure.ts';
import type { MayNot } from '../../data/may.ts';
import { isProduction as isProductionType } from '../../data/settings.ts';
import type { Feature, StrategyDraft } from '../../domain/model.ts';
import { type Change, Diff } from '../../kit/changes/Diff.tsx';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { useWrite } from '../../save/use-write.ts';
import { Words } from '../../save/Words.tsx';
import { strategySentences } from '../../words/en/differences.ts';
import { copy as words } from '../../words/en/flags/feature.ts';
import { type SegmentNames, strategyName } from '../../words/en/rule-sentences.ts';
import styles from './Editor.module.css';

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

interface CopyDialogProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly isProduction: boolean;
  /** The environments that are chosen at first. */
  readonly initialTargets?: readonly string[];
  /** The flag is not named beside the panel. */
  readonly hasName?: boolean;
  readonly mayNot?: MayNot;
  readonly onClose: () => void;
}

/** Asks the server what a copy would change, as often as the choice changes. */
function usePreview(flag: Feature, environment: string, targets: readonly string[], parts: readonly Part[]) {
  const [result, setResult] = useState<{ readonly targets: readonly Copied[]; readonly failure: Failure | null }>({
    targets: [],
    failure: null,
  });
  const key = JSON.stringify([targets, parts]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has both lists; the flag is read again after it changed.
  useEffect(() => {
    if (targets.length === 0 || parts.length === 0) return setResult({ targets: [], failure: null });
    let isLatest = true;
    void copyTo(flag, environment, targets, parts, true, '').then((answer) => {
      if (isLatest)
        setResult(
          answer.ok ? { targets: answer.value.targets, failure: null } : { targets: [], failure: answer.failure },
        );
    });
    return () => {
      isLatest = false;
    };
  }, [flag, environment, key]);
  return result;
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
const toggle = <T,>(list: readonly T[], item: T, on: boolean) =>
  on ? [...list, item] : list.filter((one) => one !== item);

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
        {flag.environments
          .filter(({ name }) => name !== environment)
          .map(({ name }) => (
            <Checkbox
              key={name}
              label={<EnvironmentMark name={name} production={isProductionIn(flag, name)} />}
              checked={targets.includes(name)}
              onChange={(on) => onTargets(toggle(targets, name, on))}
            />
          ))}
      </fieldset>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{words.parts}</legend>
        <div className={styles.same}>
          {PARTS.map((part) => (
            <Checkbox
              key={part}
              label={words.partNames[part]}
              checked={parts.includes(part)}
              onChange={(on) => onParts(toggle(parts, part, on))}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

function Preview({ flag, targets }: { readonly flag: Feature; readonly targets: readonly Copied[] }) {
  const segments = useSegmentNames();
  return (
    <Diff
      groups={targets.map((target) => {
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

/** Copies the settings of one environment to others: the exact difference first, then one commit for all. */
export function CopyDialog({
  flag,
  environment,
  isProduction,
  initialTargets = [],
  hasName = false,
  mayNot,
  onClose,
}: CopyDialogProps) {
  const [targets, setTargets] = useState(initialTargets);
  const [parts, setParts] = useState<readonly Part[]>(PARTS);
  const [reason, setReason] = useState('');
  const { run, isPending, failure } = useWrite();
  const preview = usePreview(flag, environment, targets, parts);
  const saving = () => copyTo(flag, environment, targets, parts, false, reason);
  const copy = () =>
    run(saving, {
      text: words.done(flag.name, environment),
      isDelivered: true,
      onDone: onClose,
    });
  const hasChanges = preview.targets.some(({ isChanged }) => isChanged);
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
          blocked={mayNot ?? (targets.length === 0 ? words.choose : hasChanges ? undefined : words.same)}
          onSave={() => void copy()}
          onCancel={onClose}
        />
      }
    >
      <div className={styles.editor}>
        <Choices
          flag={flag}
          environment={environment}
          targets={targets}
          parts={parts}
          onTargets={setTargets}
          onParts={setParts}
        />
        {preview.targets.length > 0 && <Preview flag={flag} targets={preview.targets} />}
        <Reason value={reason} onChange={setReason} />
        <FailureText failure={failure ?? preview.failure} />
      </div>
    </Inspector>
  );
}
