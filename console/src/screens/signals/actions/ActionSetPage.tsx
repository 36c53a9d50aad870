import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import type { ActionSet } from '../../../data/action-sets.ts';
import { useMay } from '../../../data/may.ts';
import { useOpened } from '../../../data/opened.ts';
import { Banner } from '../../../kit/notices/Banner.tsx';
import { Badge } from '../../../kit/texts/Badge.tsx';
import { Loaded } from '../../../parts/Loaded.tsx';
import { Page } from '../../../parts/Page.tsx';
import styles from '../../../parts/parts.module.css';
import { SwitchedButtons } from '../../../parts/Switched.tsx';
import { path } from '../../../paths.ts';
import { actions as words } from '../../../words/en/actions.ts';
import { signalEndpointsQuery } from '../signal-data.ts';
import { ACTS, ConfirmAct } from './ActionSetActs.tsx';
import { EditActionSet, WRITING } from './ActionSetPanels.tsx';
import { actionSetQuery } from './action-data.ts';
import { Executions } from './Executions.tsx';
import { Sentence } from './Sentence.tsx';

interface OfOne {
  readonly set: ActionSet;
}

/** Why no signal starts it. */
function Problem({ set: { enabled, match } }: OfOne) {
  const { data: endpoints } = useQuery(signalEndpointsQuery);
  if (!enabled) return <Banner>{words.isOff}</Banner>;
  const source = endpoints?.find(({ id }) => id === match.sourceId);
  return source?.enabled === false ? <Banner tone="warn">{words.sourceOff}</Banner> : null;
}

function Content({ set }: OfOne) {
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const mayNot = useMay(WRITING, set.project);
  const act = ACTS.find((one) => one === panel);
  const list = path('projectSettingsTab', { projectId: set.project, tab: 'actions' });
  const close = () => setPanel('');
  return (
    <Page
      name={set.name}
      above={
        <Link href={list} className={styles.crumb}>
          {set.project} · {words.title}
        </Link>
      }
      lead={set.description}
      actions={<SwitchedButtons enabled={set.enabled} mayNot={mayNot} mayNotDelete={mayNot} onPanel={setPanel} />}
    >
      <Problem set={set} />
      <div>
        <Badge dot tone={set.enabled ? 'good' : 'neutral'}>
          {set.enabled ? words.states.on : words.states.off}
        </Badge>
      </div>
      <div className={styles.columns}>
        <Executions set={set} />
        <Sentence set={set} />
      </div>
      {panel === 'edit' && <EditActionSet set={set} onClose={close} />}
      {act && <ConfirmAct act={act} set={set} onDeleted={() => navigate(list)} onClose={close} />}
    </Page>
  );
}

/** One action set: what it does, and its last executions. */
export function ActionSetPage() {
  const { projectId = '', id = '' } = useParams<{ projectId: string; id: string }>();
  return (
    <Loaded query={useQuery(actionSetQuery(projectId, Number(id)))}>
      {(set) => <Content key={set.id} set={set} />}
    </Loaded>
  );
}
