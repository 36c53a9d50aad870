import { CircleCheck } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { useFeature } from '../../data/feature.ts';
import { forget, useKept } from '../../data/kept.ts';
import { useEnvironments } from '../../data/settings.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Page, PageBody } from '../../page/Page.tsx';
import { Snippets } from '../../parts/Snippets.tsx';
import { path } from '../../paths.ts';
import { useWrite } from '../../save/use-write.ts';
import { createFlag, firstRun as words } from '../../words/en/flags/create-flag.ts';
import { tokens } from '../../words/en/tokens.ts';
import styles from './FirstRun.module.css';

const PROJECT = 'default';
type Kind = 'backend' | 'frontend';

function Step({
  number,
  title,
  isDone,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <li className={styles.step}>
      <span className={styles.number} data-done={isDone || undefined} aria-hidden>
        {isDone ? <CircleCheck size={20} /> : number}
      </span>
      <div className={styles.content}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function CreateStep({ onCreated }: { readonly onCreated: (name: string) => void }) {
  const [name, setName] = useKept('name', 'my-first-flag', 'first flag');
  const writing = useWrite();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const params = { path: { projectId: PROJECT } };
    await writing.run(
      () =>
        write(
          api.POST('/api/admin/projects/{projectId}/features', {
            params,
            headers: stated({}),
            body: { name, type: 'release' },
          }),
        ),
      {
        onDone: () => {
          forget('first flag');
          onCreated(name);
        },
      },
    );
  };
  return (
    <form className={styles.row} onSubmit={(event) => void submit(event)}>
      <Field label={createFlag.name} hint={createFlag.nameHint} error={writing.failure?.message} required>
        <TextInput mono required value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Button kind="primary" type="submit" pending={writing.isPending}>
        {createFlag.create}
      </Button>
    </form>
  );
}

function Seen({ flag }: { readonly flag: string }) {
  const { data } = useFeature(PROJECT, flag);
  const isSeen = Boolean(data?.value.lastSeenAt);
  return <Banner tone={isSeen ? 'good' : 'neutral'}>{isSeen ? words.seen : words.waiting}</Banner>;
}

function CodeStep({ flag, environment }: { readonly flag: string; readonly environment: string }) {
  const [kind, setKind] = useState<Kind>('backend');
  const [made, setMade] = useState<{ readonly kind: Kind; readonly secret: string } | null>(null);
  const writing = useWrite();
  const create = async () => {
    const body = { type: kind, tokenName: `first-${kind}`, environment, projects: [PROJECT], expiresAt: null };
    await writing.run(() => write(api.POST('/api/admin/api-tokens', { body })), {
      onDone: ({ secret }) => setMade({ kind, secret }),
    });
  };
  return (
    <div className={styles.content}>
      <Segmented
        label={tokens.kind}
        options={(['backend', 'frontend'] as const).map((value) => ({ value, label: tokens.types[value] }))}
        value={kind}
        onChange={setKind}
      />
      {made?.kind === kind ? (
        <>
          <p className={styles.quiet}>{words.tokenHint}</p>
          <Snippets token={made.secret} flag={flag} kind={kind} />
          <Seen flag={flag} />
          <p>
            <Link className={styles.link} href={path('feature', { projectId: PROJECT, featureId: flag })}>
              {words.open}
            </Link>
          </p>
        </>
      ) : (
        <div>
          <Button kind="primary" pending={writing.isPending} onClick={() => void create()}>
            {words.createToken}
          </Button>
        </div>
      )}
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </div>
  );
}

/** From an empty store to a flag that an SDK has seen. */
export function FirstRun({
  flag,
  onCreated,
}: {
  readonly flag: string | null;
  readonly onCreated: (name: string) => void;
}) {
  const { data: environments } = useEnvironments();
  const environment = environments?.find(({ type }) => type === 'development')?.name ?? 'development';
  const { data } = useFeature(PROJECT, flag ?? '');
  const isOn = flag !== null && (data?.value.environments.find(({ name }) => name === environment)?.enabled ?? false);
  const writing = useWrite();
  const switchOn = () =>
    writing.run(() =>
      write(
        api.POST('/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on', {
          params: { path: { projectId: PROJECT, featureName: flag ?? '', environment } },
        }),
      ),
    );
  return (
    <Page title={words.title}>
      <PageBody>
        <p>{words.intro}</p>
        <ol className={styles.steps}>
          <Step number={1} title={words.step1} isDone={flag !== null}>
            {flag === null ? <CreateStep onCreated={onCreated} /> : <code>{flag}</code>}
          </Step>
          <Step number={2} title={words.step2} isDone={isOn}>
            {flag !== null && !isOn && (
              <div>
                <Button kind="primary" pending={writing.isPending} onClick={() => void switchOn()}>
                  {words.step2}
                </Button>
                {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
              </div>
            )}
            {isOn && <p>{words.isOn}</p>}
          </Step>
          <Step number={3} title={words.step3} isDone={Boolean(data?.value.lastSeenAt)}>
            {isOn && flag !== null && <CodeStep flag={flag} environment={environment} />}
          </Step>
        </ol>
      </PageBody>
    </Page>
  );
}
