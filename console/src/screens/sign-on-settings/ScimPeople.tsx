import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { useMay } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { type Group, groupsQuery, loginOf, nameOf, type User, usersQuery } from '../../people/people-data.ts';
import { scim as words } from '../../words/en/admin/scim.ts';

const SHOWN_MAX = 20;

function Person({ user }: { readonly user: User }) {
  const { id, deactivatedAt } = user;
  return (
    <li>
      <Avatar name={nameOf(user)} />
      <div className={`${styles.grow} ${styles.wrap}`}>
        <Link className={styles.link} href={path('users', {}, { panel: id })}>
          {nameOf(user)}
        </Link>
        <div className={styles.quiet}>{loginOf(user)}</div>
      </div>
      <Badge dot tone={deactivatedAt === undefined ? 'good' : 'neutral'}>
        {deactivatedAt === undefined ? words.active : words.inactive}
      </Badge>
      {deactivatedAt !== undefined && (
        <span className={styles.quiet}>
          {words.since} <TimeText at={deactivatedAt} />
        </span>
      )}
    </li>
  );
}

function People({ users, onRemove }: { readonly users: readonly User[]; readonly onRemove: () => void }) {
  const mayNot = useMay('ADMIN');
  if (users.length === 0) return <p className={styles.quiet}>{words.noUsers}</p>;
  return (
    <>
      <div className={styles.list}>
        <ul className={styles.items}>
          {users.slice(0, SHOWN_MAX).map((user) => (
            <Person key={user.id} user={user} />
          ))}
        </ul>
      </div>
      <div className={`${styles.between} ${styles.wraps}`}>
        <Link className={styles.inline} href={path('users', {}, { filter: words.mark })}>
          {words.all(users.length)}
        </Link>
        <Button size="small" icon={<Trash2 aria-hidden />} reason={mayNot} onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </>
  );
}

function Groups({ groups }: { readonly groups: readonly Group[] }) {
  if (groups.length === 0) return <p className={styles.quiet}>{words.noGroups}</p>;
  return (
    <div className={styles.list}>
      <ul className={styles.items}>
        {groups.map(({ id, name, users }) => (
          <li key={id}>
            <Link className={`${styles.grow} ${styles.link}`} href={path('group', { id })}>
              {name}
            </Link>
            <span className={styles.quiet}>{words.members(users.length)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The users and groups of the identity provider. */
export function ScimPeople({ onRemove }: { readonly onRemove: () => void }) {
  const users = useQuery(usersQuery);
  const groups = useQuery(groupsQuery);
  return (
    <>
      <section className={styles.stack} aria-label={words.people}>
        <h2 className={styles.heading}>{words.people}</h2>
        <Loaded query={users} rows={3}>
          {({ users: all }) => <People users={all.filter(({ scimId }) => scimId !== undefined)} onRemove={onRemove} />}
        </Loaded>
      </section>
      <section className={styles.stack} aria-label={words.groups}>
        <h2 className={styles.heading}>{words.groups}</h2>
        <Loaded query={groups} rows={2}>
          {(all) => <Groups groups={all.filter(({ scimId }) => scimId !== undefined)} />}
        </Loaded>
      </section>
    </>
  );
}
