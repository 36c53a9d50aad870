import { useLocation, useParams } from 'wouter';
import { Tabs } from '../../kit/lists/Tabs.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { signOnSettings as words } from '../../words/en/admin/sign-on-settings.ts';
import { Passwords } from './Passwords.tsx';
import { Provider } from './Provider.tsx';
import { Scim } from './Scim.tsx';

type Tab = keyof typeof words.tabs;
const TABS = ['password', 'oidc', 'saml', 'scim'] as const;

/** One tab for each way to sign on, and one for what a provider may manage. */
export function SignOnSettingsPage() {
  const { tab: asked = 'password' } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const tab = TABS.find((one) => one === asked);
  if (!tab) return <NotFound />;
  return (
    <Page name={words.title} lead={words.lead}>
      <Tabs<Tab>
        label={words.tabsLabel}
        value={tab}
        onChange={(value) =>
          navigate(value === 'password' ? path('signOnSettings') : path('signOnSettingsTab', { tab: value }), {
            replace: true,
          })
        }
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
      >
        <div className={styles.stack}>
          {tab === 'password' && <Passwords />}
          {tab === 'scim' && <Scim />}
          {(tab === 'oidc' || tab === 'saml') && <Provider key={tab} protocol={tab} />}
        </div>
      </Tabs>
    </Page>
  );
}
