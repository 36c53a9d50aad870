import { Search } from 'lucide-react';
import { useState } from 'react';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { Checks } from '../../parts/Checks.tsx';
import { matches } from '../../parts/FilterInput.tsx';
import styles from '../../parts/parts.module.css';
import peopleStyles from '../../people/People.module.css';
import { keyOf, type Section } from '../../people/role-data.ts';
import { permissionName } from '../../words/en/people/permissions.ts';
import { roles as words } from '../../words/en/people/roles.ts';

interface PermissionChoiceProps {
  readonly sections: readonly Section[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** Why nothing can be changed. */
  readonly reason: string | undefined;
}

/** Check boxes by scope. A scope is open if something in it is chosen, or if the filter finds something in it. */
export function PermissionChoice({ sections, chosen, onChange, reason }: PermissionChoiceProps) {
  const [filter, setFilter] = useState('');
  const found = sections
    .map((section) => ({
      section,
      shown: section.permissions.filter(({ name }) => matches(filter, name, permissionName(name))),
    }))
    .filter(({ shown }) => shown.length > 0);
  return (
    <section className={styles.stack} aria-label={words.permissions}>
      <h3 className={styles.heading}>{words.permissions}</h3>
      <TextInput
        type="search"
        aria-label={words.filterPermissions}
        placeholder={words.filterPermissions}
        leading={<Search aria-hidden />}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {found.length === 0 && <p className={styles.quiet}>{words.noMatch}</p>}
      {found.map(({ section, shown }) => (
        <SectionOf
          key={`${section.key} ${filter !== ''}`}
          section={section}
          shown={shown}
          isFound={filter !== ''}
          chosen={chosen}
          onChange={onChange}
          reason={reason}
        />
      ))}
    </section>
  );
}

interface SectionOfProps extends Omit<PermissionChoiceProps, 'sections'> {
  readonly section: Section;
  readonly shown: Section['permissions'];
  readonly isFound: boolean;
}

function SectionOf({ section, shown, isFound, chosen, onChange, reason }: SectionOfProps) {
  const all = section.permissions.map(keyOf);
  const some = all.filter((key) => chosen.has(key)).length;
  const [isOpen] = useState(isFound || some > 0 || section.key === 'project');
  const setAll = (isOn: boolean) =>
    onChange(new Set(isOn ? [...chosen, ...all] : [...chosen].filter((key) => !all.includes(key))));
  return (
    <details className={peopleStyles.permissions} open={isOpen}>
      <summary className={peopleStyles.summary}>
        <span className={styles.strong}>{section.label}</span>{' '}
        <Badge tone={some > 0 ? 'accent' : 'neutral'}>{words.chosen(some, all.length)}</Badge>
      </summary>
      <fieldset className={peopleStyles.checks}>
        <legend className="visually-hidden">{section.label}</legend>
        {!isFound && (
          <Checkbox
            label={words.allOf(section.label)}
            checked={some === all.length}
            mixed={some > 0 && some < all.length}
            reason={reason}
            onChange={setAll}
          />
        )}
        <Checks
          options={shown.map((permission) => ({
            value: keyOf(permission),
            label: permissionName(permission.name),
            hint: <span className={styles.mono}>{permission.name}</span>,
          }))}
          values={[...chosen]}
          reason={reason}
          onChange={(next) => onChange(new Set(next))}
        />
      </fieldset>
    </details>
  );
}
