import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Badge } from '../kit/texts/Badge.tsx';
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

const ADMIN_ROLE = 1;

/** A role for the whole instance in a list. */
export function RoleBadge({ roles, id }: { readonly roles: readonly Role[]; readonly id: number }) {
  const name = roles.find((role) => role.id === id)?.name ?? `#${id}`;
  return <Badge tone={id === ADMIN_ROLE ? 'accent' : 'neutral'}>{name}</Badge>;
}
