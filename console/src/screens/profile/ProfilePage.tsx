import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Tabs } from '../../kit/lists/Tabs.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import { path } from '../../paths.ts';
import styles from '../../people/People.module.css';
import { TokenSection } from '../../people/TokenSection.tsx';
import { profile as words } from '../../words/en/people/profile.ts';
import { Account } from './Account.tsx';
import { PageSettings } from './PageSettings.tsx';
import { Sessions } from './Sessions.tsx';

type Tab = keyof typeof words.tabs;
const TABS = ['account', 'tokens', 'sessions', 'page'] as const;

const tokensQuery = {
  queryKey: keys.own('tokens'),
  queryFn: async () => (await read(api.GET('/api/admin/user/tokens'))).pats,
} as const;

function OwnTokens() {
  const query = useQuery(tokensQuery);
  return (
    <Loaded query={query}>
      {(tokens) => (
        <TokenSection
          tokens={tokens}
          mayNot={undefined}
          heading="h2"
          lead={words.tokensLead}
          refresh={[keys.own('tokens')]}
          create={(body) => write(api.POST('/api/admin/user/tokens', { body }))}
          remove={(id) => write(api.DELETE('/api/admin/user/tokens/{id}', { params: { path: { id } } }))}
        />
      )}
    </Loaded>
  );
}

export function ProfilePage() {
  const { tab: asked = 'account' } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const tab = TABS.find((one) => one === asked);
  if (!tab) return <NotFound />;
  return (
    <Page name={words.title}>
      <Tabs<Tab>
        label={words.tabsLabel}
        value={tab}
        onChange={(value) =>
          navigate(value === 'account' ? path('profile') : path('profileTab', { tab: value }), { replace: true })
        }
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
      >
        <div className={styles.sections}>
          {tab === 'account' && <Account />}
          {tab === 'tokens' && <OwnTokens />}
          {tab === 'sessions' && <Sessions />}
          {tab === 'page' && <PageSettings />}
        </div>
      </Tabs>
    </Page>
  );
}
