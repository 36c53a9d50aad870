import { useQuery } from '@tanstack/react-query';
import { BASE_PATH } from '../../../base-path.ts';
import { Field, useField } from '../../../kit/inputs/Field.tsx';
import { Select } from '../../../kit/inputs/Select.tsx';
import { Banner } from '../../../kit/notices/Banner.tsx';
import styles from '../../../parts/parts.module.css';
import { path } from '../../../paths.ts';
import { nameOf } from '../../../people/people-data.ts';
import { actions as words } from '../../../words/en/actions.ts';
import { signalEndpointsQuery } from '../signal-data.ts';
import { type ActionValues, useActors } from './action-data.ts';
import { useLackOfRights } from './actor-rights.ts';

interface FieldProps {
  readonly values: ActionValues;
  readonly onChange: (values: ActionValues) => void;
}

interface AsideProps {
  readonly href: string;
  readonly children: string;
}

/** Opens a tab of its own: what is typed into the form stays. */
function Aside({ href, children }: AsideProps) {
  return (
    <a className={styles.inline} href={BASE_PATH + href} target="_blank" rel="noreferrer">
      {children}
      <span className="visually-hidden"> {words.newTab}</span>
    </a>
  );
}

interface NothingProps extends AsideProps {
  readonly text: string;
}

/** Stands where the choice would be. */
function NothingToChoose({ text, ...link }: NothingProps) {
  const { id, 'aria-describedby': describedBy } = useField();
  return (
    <output id={id} aria-describedby={describedBy}>
      {text} <Aside {...link} />
    </output>
  );
}

/** The endpoint whose signals start the actions. */
export function SourceField({ values, onChange }: FieldProps) {
  const { data: endpoints } = useQuery(signalEndpointsQuery);
  return (
    <Field label={words.source} hint={words.sourceHint} required>
      {endpoints?.length === 0 ? (
        <NothingToChoose text={words.noSource} href={path('signals')}>
          {words.toSignals}
        </NothingToChoose>
      ) : (
        <Select
          mono
          value={values.sourceId === null ? null : String(values.sourceId)}
          onChange={(id) => onChange({ ...values, sourceId: Number(id) })}
          options={(endpoints ?? []).map(({ id, name, description }) => ({
            value: String(id),
            label: name,
            ...(description && { hint: description }),
          }))}
        />
      )}
    </Field>
  );
}

/** The account that makes the changes, and whether its roles allow them. */
export function ActorField({ project, values, onChange }: FieldProps & { readonly project: string }) {
  const actors = useActors();
  const chosen = actors?.find(({ id }) => id === values.actorId);
  const lack = useLackOfRights(project, values.actorId, values.steps);
  return (
    <>
      <Field label={words.actor} hint={words.actorHint} required>
        {actors?.length === 0 ? (
          <NothingToChoose text={words.noActor} href={path('serviceAccounts')}>
            {words.toAccounts}
          </NothingToChoose>
        ) : (
          <Select
            value={values.actorId === null ? null : String(values.actorId)}
            onChange={(id) => onChange({ ...values, actorId: Number(id) })}
            options={(actors ?? []).map((account) => ({ value: String(account.id), label: nameOf(account) }))}
          />
        )}
      </Field>
      {chosen && lack && (
        <Banner tone="warn">
          {words.lacks[lack](nameOf(chosen))}{' '}
          <Aside href={path('projectSettingsTab', { projectId: project, tab: 'access' })}>{words.toAccess}</Aside>
        </Banner>
      )}
    </>
  );
}
