import { useQuery } from '@tanstack/react-query';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import styles from '../../parts/parts.module.css';
import { isRootRole, rolesQuery } from '../../people/people-data.ts';
import { signOnSettings as words } from '../../words/en/admin/sign-on-settings.ts';

import { type FormValues, MASK, NEEDED, SECRET, type SwitchName, type TextName } from './settings-data.ts';
import type { Protocol } from './trial-data.ts';

interface FieldsProps {
  readonly protocol: Protocol;
  readonly values: FormValues;
  readonly set: (changed: Partial<FormValues>) => void;
}

const HINTS: Readonly<Record<string, string>> = words.hints;

function Text({
  name,
  hint,
  protocol,
  values,
  set,
}: FieldsProps & { readonly name: TextName; readonly hint?: string }) {
  return (
    <Field label={words.fields[name]} hint={hint ?? HINTS[name]} required={NEEDED[protocol].includes(name)}>
      <TextInput mono maxLength={2000} value={values[name]} onChange={(event) => set({ [name]: event.target.value })} />
    </Field>
  );
}

function Choice({
  name,
  hint,
  values,
  set,
}: Omit<FieldsProps, 'protocol'> & { readonly name: SwitchName; readonly hint?: string }) {
  return (
    <Checkbox
      label={words.fields[name]}
      hint={hint}
      checked={values[name]}
      onChange={(checked) => set({ [name]: checked })}
    />
  );
}

interface SecretProps extends FieldsProps {
  /** A value is stored, which the server never shows. */
  readonly hasStored: boolean;
}

function Secret({ protocol, values, hasStored, set }: SecretProps) {
  const name = SECRET[protocol];
  const label = words.fields[name];
  if (values.secret === MASK) {
    return (
      <div className={styles.tight}>
        <span className={styles.label}>{label}</span>
        <p className={styles.quiet}>{words.secretKept}</p>
        <div className={styles.row}>
          <Button size="small" aria-label={`${words.secretChange}: ${label}`} onClick={() => set({ secret: '' })}>
            {words.secretChange}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <>
      <Field label={label} hint={words.hints[name]}>
        {protocol === 'oidc' ? (
          <TextInput
            mono
            type="password"
            autoComplete="new-password"
            maxLength={2000}
            value={values.secret}
            onChange={(event) => set({ secret: event.target.value })}
          />
        ) : (
          <TextArea
            mono
            rows={4}
            maxLength={20_000}
            value={values.secret}
            onChange={(event) => set({ secret: event.target.value })}
          />
        )}
      </Field>
      {hasStored && (
        <div>
          <Button size="small" onClick={() => set({ secret: MASK })}>
            {words.secretKeep}
          </Button>
        </div>
      )}
    </>
  );
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
const DEFAULT_ALGORITHM = 'default';

/** What belongs to the protocol. */
export function OwnFields(props: SecretProps) {
  const { protocol, values, set } = props;
  if (protocol === 'saml') {
    return (
      <>
        <Text {...props} name="entityId" />
        <Text {...props} name="signOnUrl" />
        <Field label={words.fields.certificate} hint={words.hints.certificate} required>
          <TextArea
            mono
            rows={5}
            maxLength={20_000}
            value={values.certificate}
            onChange={(event) => set({ certificate: event.target.value })}
          />
        </Field>
        <Text {...props} name="signOutUrl" />
        <Secret {...props} />
      </>
    );
  }
  return (
    <>
      <Text {...props} name="discoverUrl" />
      <Text {...props} name="clientId" />
      <Secret {...props} />
      <Text {...props} name="acrValues" />
      <Field label={words.fields.idTokenSigningAlgorithm}>
        <Select
          value={values.idTokenSigningAlgorithm || DEFAULT_ALGORITHM}
          onChange={(value) => set({ idTokenSigningAlgorithm: value === DEFAULT_ALGORITHM ? '' : value })}
          options={[
            { value: DEFAULT_ALGORITHM, label: words.algorithmDefault },
            ...ALGORITHMS.map((value) => ({ value, label: value })),
          ]}
        />
      </Field>
      <Choice {...props} name="enableSingleSignOut" />
      <Choice {...props} name="addGroupsScope" />
    </>
  );
}

/** Who gets an account, and which groups. */
export function PolicyFields(props: FieldsProps) {
  const { protocol, values, set } = props;
  const { data: roles = [] } = useQuery(rolesQuery);
  const options = roles
    .filter(isRootRole)
    .map(({ id, type, name }) => ({ value: type === 'root' ? name : `#${id}`, label: name }));
  return (
    <>
      <Choice {...props} name="autoCreate" />
      {values.autoCreate && (
        <>
          <Text {...props} name="emailDomains" />
          <Field label={words.fields.role}>
            <Select value={values.role} onChange={(role) => set({ role })} options={options} />
          </Field>
        </>
      )}
      <Choice {...props} name="enableGroupSyncing" hint={words.hints.groups} />
      {values.enableGroupSyncing && (
        <Text
          {...props}
          name="groupJsonPath"
          hint={protocol === 'oidc' ? words.hints.groupJsonPathOidc : words.hints.groupJsonPathSaml}
        />
      )}
    </>
  );
}
