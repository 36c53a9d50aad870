import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../data/store.ts';
import { Banner } from '../../kit/notices/Banner.tsx';
import styles from '../../parts/parts.module.css';
import { rolesQuery } from '../../people/people-data.ts';
import { signOnSettings } from '../../words/en/admin/sign-on-settings.ts';
import { parts } from '../../words/en/parts.ts';

import { type Protocol, type TrialResult, trials } from './trial-data.ts';

const words = signOnSettings.trial;

const listed = (names: readonly string[], count: number) =>
  names.length === 0
    ? words.none
    : names.join(', ') + (count > names.length ? ` ${parts.more(count - names.length)}` : '');

function Account({ account }: { readonly account: NonNullable<TrialResult['account']> }) {
  const { data: roles } = useQuery(rolesQuery);
  const role = roles?.find(({ id }) => id === account.rootRole)?.name ?? `#${account.rootRole}`;
  return (
    <>
      <dt>{words.account}</dt>
      <dd>{account.isNew ? words.isNew : words.isKnown(account.id)}</dd>
      <dt>{words.role}</dt>
      <dd>{role}</dd>
      <dt>{words.member}</dt>
      <dd>{listed(account.groups, account.groupCount)}</dd>
    </>
  );
}

function Facts({ result }: { readonly result: TrialResult }) {
  const { reason, email, name, sentGroups, sentGroupCount, account } = result;
  return (
    <dl className={styles.facts}>
      {reason && (
        <>
          <dt>{words.reason}</dt>
          <dd>
            <code className={styles.wrap}>{reason}</code>
          </dd>
        </>
      )}
      {email && (
        <>
          <dt>{words.email}</dt>
          <dd>{email}</dd>
          <dt>{words.name}</dt>
          <dd>{name || parts.empty}</dd>
        </>
      )}
      {sentGroups && (
        <>
          <dt>{words.sent}</dt>
          <dd>{listed(sentGroups, sentGroupCount ?? 0)}</dd>
        </>
      )}
      {account && <Account account={account} />}
    </dl>
  );
}

/** What the last trial in this window showed. */
export function TrialView({ protocol }: { readonly protocol: Protocol }) {
  const result = useStore(trials)[protocol];
  if (!result) return null;
  if (result === 'other') return <Banner tone="warn">{words.other}</Banner>;
  const { isAccepted, message, account, email } = result;
  const who = account?.name || account?.email || email || '';
  return (
    <div className={styles.stack} role="status">
      <Banner tone={isAccepted ? 'good' : 'bad'} title={isAccepted ? words.works : words.fails}>
        {isAccepted ? words.wouldSignOn(who) : message} {words.nothing}
      </Banner>
      <Facts result={result} />
    </div>
  );
}
