import { useQuery } from '@tanstack/react-query';
import { LogIn, Pencil } from 'lucide-react';
import { useEffect } from 'react';
import { publicUrl } from '../../data/base.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useUiConfig } from '../../data/settings.ts';
import { useShortcut } from '../../keys/registry.ts';
import { classes } from '../../kit/classes.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { signOnSettings as words } from '../../words/en/admin/sign-on-settings.ts';
import { ProviderPanel } from './ProviderPanel.tsx';
import { Registration } from './Registration.tsx';
import own from './SignOnSettings.module.css';
import { missingOf, type Settings, settingsQuery, shownText, stateText, valuesOf } from './settings-data.ts';
import { TrialView } from './TrialView.tsx';
import { type Protocol, startTrial, takeResult } from './trial-data.ts';

/** What the provider must know of this service. */
function Registered({ protocol }: { readonly protocol: Protocol }) {
  const base = publicUrl(useUiConfig()?.serviceUrl);
  const values =
    protocol === 'oidc'
      ? ([
          [words.callback, `${base}/auth/oidc/callback`],
          [words.home, `${base}/`],
        ] as const)
      : ([
          [words.audience, base],
          [words.acs, `${base}/auth/saml/callback`],
          [words.logout, `${base}/auth/saml/logout/callback`],
          [words.metadata, `${base}/auth/saml/metadata`],
        ] as const);
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.registered}</h2>
      <dl className={classes(styles.facts, own.values)}>
        {values.map(([label, value]) => (
          <Registration key={label} label={label} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Facts({ protocol, settings }: { readonly protocol: Protocol; readonly settings: Settings }) {
  const { role } = valuesOf(protocol, settings);
  const names =
    protocol === 'oidc' ? (['discoverUrl', 'clientId'] as const) : (['entityId', 'signOnUrl', 'signOutUrl'] as const);
  return (
    <dl className={styles.facts}>
      {names.map((name) => (
        <Fact key={name} label={words.fields[name]} value={shownText(settings[name])} />
      ))}
      <Fact label={words.fields.autoCreate} value={stateText(settings.autoCreate)} />
      {settings.autoCreate && <Fact label={words.fields.role} value={role} />}
      <Fact label={words.fields.enableGroupSyncing} value={stateText(settings.enableGroupSyncing)} />
    </dl>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className={styles.wrap}>{value}</dd>
    </>
  );
}

function Trying({ protocol, settings }: { readonly protocol: Protocol; readonly settings: Settings }) {
  const mayNot = useMay('ADMIN');
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.trial.title}</h2>
      <p className={styles.quiet}>{words.trial.lead}</p>
      <div>
        <Button
          icon={<LogIn aria-hidden />}
          reason={mayNot ?? missingOf(protocol, valuesOf(protocol, settings))}
          onClick={() => startTrial(protocol)}
        >
          {words.trial.start}
        </Button>
      </div>
      <TrialView protocol={protocol} />
    </section>
  );
}

/** Sign-on with an identity provider: settings, what to register there, and the trial. */
export function Provider({ protocol }: { readonly protocol: Protocol }) {
  const query = useQuery(settingsQuery(protocol));
  const config = useUiConfig();
  const [panel, setPanel] = useOpened('panel');
  const mayNot = useMay('ADMIN');
  useEffect(() => takeResult(protocol), [protocol]);
  const isFixed = protocol === 'oidc' ? config?.oidcConfiguredThroughEnv : config?.samlConfiguredThroughEnv;
  const reason = mayNot ?? (isFixed ? words.fromEnvironment : undefined);
  const edit = () => setPanel('edit');
  useShortcut(reason === undefined ? { keys: 'e', label: words.edit, group: words.title, run: edit } : undefined);
  return (
    <Loaded query={query}>
      {(settings) => (
        <>
          <section className={styles.card}>
            <div className={`${styles.between} ${styles.wraps}`}>
              <Badge tone={settings.enabled ? 'good' : 'neutral'} dot>
                {stateText(settings.enabled)}
              </Badge>
              <Button icon={<Pencil aria-hidden />} reason={reason} onClick={edit}>
                {words.edit}
              </Button>
            </div>
            <Facts protocol={protocol} settings={settings} />
            {isFixed && <p className={styles.quiet}>{`${words.fromEnvironment}. ${words.fromEnvironmentHint}`}</p>}
          </section>
          <Registered protocol={protocol} />
          <Trying protocol={protocol} settings={settings} />
          {panel === 'edit' && !isFixed && (
            <ProviderPanel protocol={protocol} settings={settings} onClose={() => setPanel('')} />
          )}
        </>
      )}
    </Loaded>
  );
}
