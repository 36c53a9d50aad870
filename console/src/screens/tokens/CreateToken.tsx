import type { components } from '../../api/schema.d.ts';
import { api, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { isProduction, useEnvironments, useProjects } from '../../data/settings.ts';
import { DAY_MS } from '../../domain/milliseconds.ts';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { parts } from '../../words/en/parts.ts';
import { tokens as words } from '../../words/en/tokens.ts';

export type Token = components['schemas']['apiToken'];
type Kind = 'backend' | 'frontend';
type Expiry = keyof typeof words.expiries;

/** Null: never. Undefined: a day is demanded, and missing or over. */
export function expiryOf(expiry: Expiry, day: string, now: number): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'custom') return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const at = Date.parse(`${day}T23:59:59`);
  return Number.isNaN(at) || at < now ? undefined : new Date(at).toISOString();
}

interface CreateTokenProps {
  readonly onCreated: (token: Token) => void;
  readonly onClose: () => void;
}

function useDraft() {
  const { data: environments = [] } = useEnvironments();
  const [given, setName] = useKept<string | null>('name', null);
  const [kind, setKind] = useKept<Kind>('kind', 'backend');
  const [chosen, setEnvironment] = useKept<string | null>('chosen', null);
  const [scope, setScope] = useKept<'all' | 'some'>('scope', 'all');
  const [some, setSome] = useKept<readonly string[]>('some', []);
  const [expiry, setExpiry] = useKept<Expiry>('expiry', 'never');
  const [day, setDay] = useKept('day', '');
  const usable = environments.filter(({ enabled }) => enabled);
  const environment = chosen ?? usable[0]?.name ?? null;
  const name = given ?? (environment === null ? '' : `${kind}-${environment}`);
  const isForProduction = isProduction(environments.find((one) => one.name === environment)?.type);
  const expiresAt = expiryOf(expiry, day, Date.now());
  const problem =
    (name.trim() === '' ? parts.fieldMissing(words.name) : undefined) ??
    (scope === 'some' && some.length === 0 ? words.projectsMissing : undefined) ??
    (expiresAt === undefined ? words.dayMissing : undefined);
  const values = { name, kind, usable, environment, scope, some, expiry, day, expiresAt, problem, isForProduction };
  return { ...values, setName, setKind, setEnvironment, setScope, setSome, setExpiry, setDay };
}

type Draft = ReturnType<typeof useDraft>;

function KindField({ draft: { kind, setKind } }: { readonly draft: Draft }) {
  return (
    <div className={styles.tight}>
      <span className={styles.label}>{words.kind}</span>
      <Segmented<Kind>
        label={words.kind}
        value={kind}
        onChange={setKind}
        options={[
          { value: 'backend', label: words.types.backend },
          { value: 'frontend', label: words.types.frontend },
        ]}
      />
      <p className={styles.quiet}>{words.typeHints[kind]}</p>
    </div>
  );
}

function ProjectsField({ draft: { scope, some, setScope, setSome } }: { readonly draft: Draft }) {
  const { data: projects = [] } = useProjects();
  return (
    <>
      <div className={styles.tight}>
        <span className={styles.label}>{words.projects}</span>
        <Segmented
          label={words.projects}
          value={scope}
          onChange={setScope}
          options={[
            { value: 'all', label: words.allProjects },
            { value: 'some', label: words.someProjects },
          ]}
        />
      </div>
      {scope === 'some' && (
        <MultiSelect
          label={words.projects}
          placeholder={words.projects}
          values={some}
          onChange={setSome}
          options={projects.map(({ id, name: label }) => ({ value: id, label }))}
        />
      )}
    </>
  );
}

function ExpiryField({ draft: { expiry, day, expiresAt, setExpiry, setDay } }: { readonly draft: Draft }) {
  return (
    <>
      <Field label={words.expiry}>
        <Select
          value={expiry}
          onChange={(value) => setExpiry(value as Expiry)}
          options={(['never', '7', '30', '90', '365', 'custom'] as const).map((value) => ({
            value,
            label: words.expiries[value],
          }))}
        />
      </Field>
      {expiry === 'custom' && (
        <Field label={words.day} error={day !== '' && expiresAt === undefined ? words.dayMissing : undefined} required>
          <TextInput type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Field>
      )}
    </>
  );
}

const create = ({ name, kind, environment, scope, some, expiresAt }: Draft) =>
  write(
    api.POST('/api/admin/api-tokens', {
      body: {
        tokenName: name.trim(),
        type: kind,
        environment: environment ?? undefined,
        projects: scope === 'all' ? ['*'] : [...some],
        expiresAt,
      } as components['schemas']['createApiToken'],
    }),
  );

export function CreateToken({ onCreated, onClose }: CreateTokenProps) {
  const draft = useDraft();
  const { name, kind, usable, environment, scope, some } = draft;
  const mayNot = useMay(
    kind === 'backend' ? 'CREATE_CLIENT_API_TOKEN' : 'CREATE_FRONTEND_API_TOKEN',
    scope === 'all' ? undefined : some[0],
  );
  return (
    <EditPanel<Token>
      title={words.createTitle}
      production={draft.isForProduction}
      mayNot={mayNot}
      problem={draft.problem}
      label={words.create}
      save={() => create(draft)}
      saved={{ text: words.created, refresh: [keys.tokens()] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} required>
        <TextInput autoFocus maxLength={100} value={name} onChange={(event) => draft.setName(event.target.value)} />
      </Field>
      <KindField draft={draft} />
      <Field label={words.environment}>
        <Select
          mono
          value={environment}
          onChange={draft.setEnvironment}
          options={usable.map(({ name: value, type }) => ({
            value,
            label: value,
            ...(type !== value && { hint: type }),
          }))}
        />
      </Field>
      <ProjectsField draft={draft} />
      <ExpiryField draft={draft} />
    </EditPanel>
  );
}
