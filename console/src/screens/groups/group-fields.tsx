import { useQuery } from '@tanstack/react-query';
import { cached } from '../../data/query-client.ts';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { area, type FieldOf, text, type ValuesOf } from '../../parts/fields.tsx';
import { type Group, nameOf, rolesQuery } from '../../people/people-data.ts';
import { roleField } from '../../people/RoleSelect.tsx';
import { peopleQuery } from '../../projects/project-data.ts';
import { groups as words } from '../../words/en/people/groups.ts';
import { people } from '../../words/en/people/people.ts';

interface MembersProps {
  readonly value: readonly number[];
  readonly onChange: (value: readonly number[]) => void;
}

const ascending = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);

function Members({ value, onChange }: MembersProps) {
  const { data: all } = useQuery(peopleQuery);
  return (
    <Field label={words.members}>
      <MultiSelect
        options={(all?.users ?? []).map((user) => ({
          value: String(user.id),
          label: nameOf(user),
          hint: user.email ?? user.username ?? '',
        }))}
        values={value.map(String)}
        onChange={(values) => onChange(ascending(values.map(Number)))}
        placeholder={words.membersPlaceholder}
      />
    </Field>
  );
}

function memberName(id: number): string {
  const user = cached(peopleQuery)?.users.find((one) => one.id === id);
  return user ? nameOf(user) : `#${id}`;
}

const members: FieldOf<readonly number[]> = {
  label: words.members,
  first: [],
  shown: (ids) => ids.map(memberName),
  show: ({ value, onChange }) => <Members value={value} onChange={onChange} />,
};

const mappings: FieldOf<readonly string[]> = {
  label: words.mappings,
  first: [],
  show: ({ value, onChange }) => (
    <Field label={words.mappings} hint={words.mappingsHint}>
      <MultiSelect
        newIs={words.newMapping}
        mono
        options={value.map((one) => ({ value: one, label: one }))}
        values={value}
        onChange={onChange}
        placeholder={words.mappingsPlaceholder}
      />
    </Field>
  ),
};

export const fields = {
  name: text(people.name, { max: 100, isRequired: true }),
  description: area(people.description),
  members,
  rootRole: roleField({
    useRoles: () => useQuery(rolesQuery).data,
    roles: () => cached(rolesQuery),
    optional: true,
    hint: words.roleHint,
  }),
  mappings,
};
export type GroupValues = ValuesOf<typeof fields>;

export const valuesOf = ({ name, description, users, mappingsSSO, rootRole }: Group): GroupValues => ({
  name,
  description: description ?? '',
  members: ascending(users.map(({ user }) => user.id)),
  rootRole,
  mappings: mappingsSSO,
});
