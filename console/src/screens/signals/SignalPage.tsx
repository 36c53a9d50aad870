import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { ActQuestion } from '../../parts/ListScreen.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { SwitchedButtons } from '../../parts/Switched.tsx';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { EditEndpoint } from './EndpointPanels.tsx';
import { ENDPOINTS } from './endpoints.tsx';
import { MonitorSnippets } from './MonitorSnippets.tsx';
import { RecentSignals } from './RecentSignals.tsx';
import { SignalTokens } from './SignalTokens.tsx';
import { type SignalEndpoint, signalEndpointQuery, useSignalUrl } from './signal-data.ts';
import { WhereActionsAre } from './WhereActionsAre.tsx';

interface OfOne {
  readonly endpoint: SignalEndpoint;
}

function Sending({ endpoint: { name } }: OfOne) {
  const url = useSignalUrl(name);
  return (
    <section className={styles.card} aria-label={words.send}>
      <h2 className={styles.heading}>{words.send}</h2>
      <CodeBlock title={words.address} label={words.address} code={url} />
      <p className={styles.quiet}>{words.sendLead}</p>
      <MonitorSnippets url={url} />
    </section>
  );
}

function Content({ endpoint }: OfOne) {
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const { name, description, enabled, tokens } = endpoint;
  const mayNot = useMay('ADMIN');
  const act = ENDPOINTS.acts.find(({ key }) => key === panel);
  const close = () => setPanel('');
  return (
    <Page
      name={name}
      above={
        <Link href={path('signals')} className={styles.crumb}>
          {words.title}
        </Link>
      }
      lead={description}
      actions={<SwitchedButtons enabled={enabled} mayNot={mayNot} mayNotDelete={mayNot} onPanel={setPanel} />}
    >
      {!enabled && <Banner>{words.off}</Banner>}
      {enabled && tokens.length === 0 && <Banner tone="warn">{words.noTokenYet}</Banner>}
      <div className={styles.row}>
        <Badge dot tone={enabled ? 'good' : 'neutral'}>
          {enabled ? words.states.on : words.states.off}
        </Badge>
        <span className={styles.quiet}>
          <WhereActionsAre />
        </span>
      </div>
      <div className={styles.columns}>
        <div className={styles.stack}>
          <SignalTokens endpoint={endpoint} panel={panel} onPanel={setPanel} />
          <RecentSignals endpoint={endpoint} />
        </div>
        <Sending endpoint={endpoint} />
      </div>
      {panel === 'edit' && <EditEndpoint endpoint={endpoint} onClose={close} />}
      {act && (
        <ActQuestion
          of={ENDPOINTS}
          act={act}
          row={endpoint}
          onLeave={() => navigate(path('signals'))}
          onClose={close}
        />
      )}
    </Page>
  );
}

/** One endpoint: its address, its tokens, and its last signals. */
export function SignalPage() {
  const { id = '' } = useParams<{ id: string }>();
  return (
    <Loaded query={useQuery(signalEndpointQuery(Number(id)))}>
      {(endpoint) => <Content key={endpoint.id} endpoint={endpoint} />}
    </Loaded>
  );
}
