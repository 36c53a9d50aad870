import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Badge } from '../kit/texts/Badge.tsx';
import type { FieldOf } from '../parts/fields.tsx';
import { people as words } from '../words/en/people/people.ts';
import { isRootRole, type Role } from './people-data.ts';

interface RoleSelectProps {
  readonly roles: readonly Role[];
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly label?: string;
  readonly hint?: string;
  /** Also "none". */
  readonly optional?: boolean;
}

const NONE = '0';

/** The role for the whole instance. */
export function RoleSelect({
  roles,
  value,
  onChange,
  label = words.rootRole,
  hint,
  optional = false,
}: RoleSelectProps) {
  const root = roles.filter(isRootRole);
  const described = root.find(({ id }) => id === value)?.description;
  return (
    <Field label={label} hint={described || hint}>
      <Select
        value={String(value ?? NONE)}
        onChange={(id) => onChange(id === NONE ? null : Number(id))}
        options={[
          ...(optional ? [{ value: NONE, label: words.noRole }] : []),
          ...root.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </Field>
  );
}

interface RoleField extends Pick<RoleSelectProps, 'hint' | 'optional'> {
  readonly useRoles: () => readonly Role[] | undefined;
  /** What was read of them. */
  readonly roles: () => readonly Role[] | undefined;
  /** Of a new object. */
  readonly firstOf?: (roles: readonly Role[]) => number | null;
}

/** The role for the whole instance, as a field of an object. Null: none, or the first one of a new object. */
export const roleField = ({ useRoles, roles, firstOf, ...props }: RoleField): FieldOf<number | null> => ({
  label: words.rootRole,
  first: null,
  shown: (id) => roles()?.find((role) => role.id === id)?.name ?? '',
  show: ({ value, onChange }) => (
    <RoleOf {...props} value={value} onChange={onChange} useRoles={useRoles} firstOf={firstOf} />
  ),
});

function RoleOf({
  useRoles,
  firstOf,
  value,
  ...props
}: Omit<RoleField, 'roles'> & Pick<RoleSelectProps, 'value' | 'onChange'>) {
  const roles = useRoles() ?? [];
  return <RoleSelect {...props} roles={roles} value={value ?? firstOf?.(roles) ?? null} />;
}

const ADMIN_ROLE = 1;

/** A role for the whole instance in a list. */
export function RoleBadge({ roles, id }: { readonly roles: readonly Role[]; readonly id: number }) {
  const name = roles.find((role) => role.id === id)?.name ?? `#${id}`;
  return <Badge tone={id === ADMIN_ROLE ? 'accent' : 'neutral'}>{name}</Badge>;
}
