import { useQuery } from '@tanstack/react-query';
import { Pencil, Power, Trash2 } from 'lucide-react';
import { Link, useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import { Loaded } from '../parts/Loaded.tsx';
import { Page } from '../parts/Page.tsx';
import styles from '../parts/parts.module.css';
import { ACTS, ConfirmAct } from './EndpointActs.tsx';
import { EditEndpoint } from './EndpointPanels.tsx';
import { MonitorSnippets } from './MonitorSnippets.tsx';
import { RecentSignals } from './RecentSignals.tsx';
import { SignalTokens } from './SignalTokens.tsx';
import { type SignalEndpoint, signalEndpointQuery, useSignalUrl } from './signal-data.ts';
import { WhereActionsAre } from './WhereActionsAre.tsx';

interface OfOne {
  readonly endpoint: SignalEndpoint;
}

function Actions({ endpoint: { enabled }, onPanel }: OfOne & { readonly onPanel: (panel: string) => void }) {
  const mayNot = useMay('ADMIN');
  return (
    <>
      <Button icon={<Pencil aria-hidden />} reason={mayNot} onClick={() => onPanel('edit')}>
        {parts.edit}
      </Button>
      <Button icon={<Power aria-hidden />} reason={mayNot} onClick={() => onPanel(enabled ? 'off' : 'on')}>
        {enabled ? words.offMenu : words.onMenu}
      </Button>
      <Button icon={<Trash2 aria-hidden />} reason={mayNot} onClick={() => onPanel('delete')}>
        {words.delete}
      </Button>
    </>
  );
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
  const [panel, setPanel] = useUrlState('panel');
  const { name, description, enabled, tokens } = endpoint;
  const act = ACTS.find((one) => one === panel);
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
      actions={<Actions endpoint={endpoint} onPanel={setPanel} />}
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
      {act && <ConfirmAct act={act} endpoint={endpoint} onDeleted={() => navigate(path('signals'))} onClose={close} />}
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
