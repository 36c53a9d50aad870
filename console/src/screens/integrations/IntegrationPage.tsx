import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { SwitchedButtons } from '../../parts/Switched.tsx';
import { path } from '../../paths.ts';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { Attempts } from './Attempts.tsx';
import { DeliveryBadge } from './DeliveryBadge.tsx';
import { ACTS, ConfirmAct } from './IntegrationActs.tsx';
import { EditIntegration } from './IntegrationPanels.tsx';
import {
  type Integration,
  integrationQuery,
  integrationsQuery,
  nameOf,
  type Provider,
  valuesOf,
} from './integration-data.ts';

interface OfOne {
  readonly integration: Integration;
  readonly provider: Provider;
}

/** Why nothing is sent now, with the button that continues. */
function Problem({
  integration: { delivery },
  onResume,
}: Pick<OfOne, 'integration'> & { readonly onResume: () => void }) {
  const mayNot = useMay('UPDATE_ADDON');
  const { state, failingSince, nextAttemptAt } = delivery;
  if (state === 'off') return <Banner>{words.off}</Banner>;
  if (state === 'delivering') return null;
  const isParked = state === 'parked';
  return (
    <Banner
      tone={isParked ? 'bad' : 'warn'}
      title={isParked ? words.parked : words.failing}
      action={
        <Button size="small" reason={mayNot} onClick={onResume}>
          {isParked ? words.continue : words.tryNow}
        </Button>
      }
    >
      {failingSince && (
        <>
          {isParked ? words.parkedSince : words.failingSince} <TimeText at={failingSince} exact />.{' '}
        </>
      )}
      {isParked && words.parkedHint}
      {!isParked && nextAttemptAt && (
        <>
          {words.nextAttempt} <TimeText at={nextAttemptAt} exact />.
        </>
      )}
    </Banner>
  );
}

function Names({ names, all }: { readonly names: readonly string[]; readonly all: string }) {
  if (names.length === 0) return all;
  return (
    <ul className={styles.row}>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}

function Settings({ integration, provider }: OfOne) {
  const { events, projects, environments, parameters } = valuesOf(integration);
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.settings}</h2>
      <dl className={styles.facts}>
        <dt>{words.provider}</dt>
        <dd>{provider.displayName}</dd>
        <dt>{words.events}</dt>
        <dd>
          <Names names={events} all={words.notSet} />
        </dd>
        <dt>{words.projects}</dt>
        <dd>
          <Names names={projects} all={words.allProjects} />
        </dd>
        <dt>{words.environments}</dt>
        <dd>
          <Names names={environments} all={words.allEnvironments} />
        </dd>
        {provider.parameters.map(({ name, displayName, sensitive }) => (
          <Value key={name} label={displayName} value={parameters[name]} isSecret={sensitive} />
        ))}
      </dl>
    </section>
  );
}

interface ValueProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly isSecret: boolean;
}

function Value({ label, value, isSecret }: ValueProps) {
  return (
    <>
      <dt>{label}</dt>
      <dd className={styles.wrap}>
        {value && !isSecret ? (
          <code>{value}</code>
        ) : (
          <span className={styles.quiet}>{value ? words.secret : words.notSet}</span>
        )}
      </dd>
    </>
  );
}

function Content({ integration, provider }: OfOne) {
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const act = ACTS.find((one) => one === panel);
  const { delivery } = integration;
  const close = () => setPanel('');
  return (
    <Page
      name={nameOf(integration, [provider])}
      above={
        <Link href={path('integrations')} className={styles.crumb}>
          {words.title}
        </Link>
      }
      actions={
        <SwitchedButtons
          enabled={integration.enabled}
          mayNot={useMay('UPDATE_ADDON')}
          mayNotDelete={useMay('DELETE_ADDON')}
          onPanel={setPanel}
        />
      }
    >
      <Problem integration={integration} onResume={() => setPanel('resume')} />
      <div className={styles.row}>
        <DeliveryBadge state={delivery.state} />
        <span className={styles.quiet}>
          {words.delivered}: <NumberText value={delivery.delivered} />
        </span>
      </div>
      <div className={styles.columns}>
        <Attempts integration={integration} />
        <Settings integration={integration} provider={provider} />
      </div>
      {panel === 'edit' && <EditIntegration integration={integration} provider={provider} onClose={close} />}
      {act && (
        <ConfirmAct
          act={act}
          integration={integration}
          provider={provider}
          onDeleted={() => navigate(path('integrations'))}
          onClose={close}
        />
      )}
    </Page>
  );
}

/** A provider of another version: only its name is known. */
const unknownProvider = (name: string): Provider => ({
  name,
  displayName: name,
  description: '',
  documentationUrl: '',
  parameters: [],
  events: [],
  tagTypes: [],
});

/** One integration: whether its events arrive, and its last attempts. */
export function IntegrationPage() {
  const { id = '' } = useParams<{ id: string }>();
  const list = useQuery(integrationsQuery);
  const one = useQuery(integrationQuery(Number(id)));
  return (
    <Loaded query={one}>
      {(integration) => (
        <Loaded query={list}>
          {({ providers }) => (
            <Content
              key={integration.id}
              integration={integration}
              provider={
                providers.find(({ name }) => name === integration.provider) ?? unknownProvider(integration.provider)
              }
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
