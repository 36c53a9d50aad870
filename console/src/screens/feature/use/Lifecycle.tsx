import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../api/schema.d.ts';
import { api, stated, write } from '../../../data/client.ts';
import { useKept } from '../../../data/kept.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/may.ts';
import { useOpened } from '../../../data/opened.ts';
import type { Feature } from '../../../domain/model.ts';
import { lifecycleQuery } from '../../../flags/use-data.ts';
import { Button } from '../../../kit/inputs/Button.tsx';
import { Field } from '../../../kit/inputs/Field.tsx';
import { Segmented } from '../../../kit/inputs/Segmented.tsx';
import { Select } from '../../../kit/inputs/Select.tsx';
import { Banner } from '../../../kit/notices/Banner.tsx';
import { TimeText } from '../../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../../parts/Loaded.tsx';
import parts from '../../../parts/parts.module.css';
import { FailureText } from '../../../save/FailureText.tsx';
import { useWrite } from '../../../save/use-write.ts';
import { lifecycle as words } from '../../../words/en/flags/use.ts';
import styles from './Use.module.css';

type Steps = components['schemas']['featureLifecycle'];
type Stage = Steps[number]['stage'];
type Status = components['schemas']['featureCompletion']['status'];

const STAGES = Object.keys(words.stages) as Stage[];
const STATUSES = (['kept', 'discarded'] as const).map((value) => ({ value, label: words.statusNames[value] }));

const at = (flag: Feature) => ({ path: { projectId: flag.project, featureName: flag.name } });
/** The lifecycle, and the flag, which shows its stage. */
const refreshed = (flag: Feature) => [keys.featureOf(flag.name)];

function variantsOf(flag: Feature): readonly string[] {
  const all = flag.environments.flatMap(({ variants, strategies }) => [
    ...variants,
    ...strategies.flatMap((strategy) => strategy.variants),
  ]);
  return [...new Set(all.map(({ name }) => name))].sort();
}

function Complete({ flag, onClose }: { readonly flag: Feature; readonly onClose: () => void }) {
  const [status, setStatus] = useKept<Status>('status', 'kept');
  const [variant, setVariant] = useKept('variant', '');
  const variants = variantsOf(flag);
  const isUsed = flag.environments.some(({ yes, no }) => yes + no > 0);
  const isVariantKept = status === 'kept' && variant !== '';
  return (
    <ConfirmDialog<unknown>
      title={words.completeTitle(flag.name)}
      sentences={[words.completeEffect(flag.name)]}
      label={words.run}
      mayNot={useMay('UPDATE_FEATURE', flag.project)}
      act={(reason) =>
        write(
          api.POST('/api/admin/projects/{projectId}/features/{featureName}/lifecycle/complete', {
            params: at(flag),
            headers: stated({ reason }),
            body: { status, ...(isVariantKept ? { statusValue: variant } : {}) },
          }),
        )
      }
      saved={{ text: words.completed(flag.name), refresh: refreshed(flag) }}
      onClose={onClose}
    >
      <p>{words.completeText}</p>
      <Segmented label={words.status} options={STATUSES} value={status} onChange={setStatus} />
      {status === 'kept' && variants.length > 0 && (
        <Field label={words.variant}>
          <Select
            value={variant}
            onChange={setVariant}
            options={[{ value: '', label: words.noVariant }, ...variants.map((name) => ({ value: name, label: name }))]}
          />
        </Field>
      )}
      {isUsed && <Banner>{words.stillUsed}</Banner>}
    </ConfirmDialog>
  );
}

function Stages({ steps }: { readonly steps: Steps }) {
  const entered = new Map(steps.map((step) => [step.stage, step]));
  const current = steps.at(-1)?.stage;
  const last = current ? STAGES.indexOf(current) : -1;
  return (
    <ol className={styles.steps}>
      {STAGES.map((stage, index) => {
        const step = entered.get(stage);
        return (
          <li
            key={stage}
            className={styles.step}
            data-reached={step ? '' : undefined}
            aria-current={index === last ? 'step' : undefined}
          >
            <p>{words.stages[stage]}</p>
            <p className={parts.quiet}>
              {step ? <TimeText at={step.enteredStageAt} /> : index < last ? words.passed : words.notYet}
            </p>
            {step?.status && <p className={parts.quiet}>{words.statuses[step.status]}</p>}
          </li>
        );
      })}
    </ol>
  );
}

/** The stages that the flag has entered, and its completion. */
export function Lifecycle({ flag }: { readonly flag: Feature }) {
  const query = useQuery(lifecycleQuery(flag.project, flag.name));
  const [asked, setAsked] = useOpened('ask');
  const mayNot = useMay('UPDATE_FEATURE', flag.project);
  const { run, isPending, failure } = useWrite();
  const stage = query.data?.at(-1)?.stage;
  const uncomplete = () =>
    run(
      () =>
        write(
          api.POST('/api/admin/projects/{projectId}/features/{featureName}/lifecycle/uncomplete', { params: at(flag) }),
        ),
      { text: words.uncompleted(flag.name), refresh: refreshed(flag) },
    );
  return (
    <section className={parts.stack}>
      <div className={parts.between}>
        <h2 className={parts.heading}>{words.title}</h2>
        {stage === 'completed' ? (
          <Button size="small" reason={mayNot} pending={isPending} onClick={() => void uncomplete()}>
            {words.uncomplete}
          </Button>
        ) : (
          stage !== undefined &&
          stage !== 'archived' && (
            <Button size="small" reason={mayNot} onClick={() => setAsked('complete')}>
              {words.complete}
            </Button>
          )
        )}
      </div>
      <Loaded query={query} shape="text" rows={2}>
        {(steps) => <Stages steps={steps} />}
      </Loaded>
      {stage === 'completed' && <p className={parts.quiet}>{words.toArchive}</p>}
      <FailureText failure={failure} />
      {asked === 'complete' && <Complete flag={flag} onClose={() => setAsked('')} />}
    </section>
  );
}
