import { useQuery } from '@tanstack/react-query';
import { Plus, Zap } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { type ActionSet, actionSetsQuery } from '../../../data/action-sets.ts';
import { type MayNot, useMay } from '../../../data/may.ts';
import { useOpened, useOpenedItem } from '../../../data/opened.ts';
import { useShortcut } from '../../../keys/registry.ts';
import { Button } from '../../../kit/inputs/Button.tsx';
import { Switch } from '../../../kit/inputs/Switch.tsx';
import { type Column, Table } from '../../../kit/lists/Table.tsx';
import { EmptyState } from '../../../kit/notices/EmptyState.tsx';
import { PageAction } from '../../../page/PageAction.tsx';
import { curl } from '../../../parts/ListPage.tsx';
import { Loaded } from '../../../parts/Loaded.tsx';
import { menuColumn } from '../../../parts/menu-column.tsx';
import styles from '../../../parts/parts.module.css';
import { otherState, switchedEntries } from '../../../parts/Switched.tsx';
import { path } from '../../../paths.ts';
import { actions as words } from '../../../words/en/actions.ts';
import { rules } from '../../../words/en/rules.ts';
import { constraintText } from '../../../words/rule-words.ts';
import { ACTS, type Act, ConfirmAct } from './ActionSetActs.tsx';
import { CreateActionSet, WRITING } from './ActionSetPanels.tsx';
import { filtersOf, type Names, stepText, useNames, valuesOf } from './action-data.ts';

interface Asked {
  readonly act: Act;
  readonly set: ActionSet;
}

interface Acts {
  readonly names: Names;
  readonly mayNot: MayNot;
  readonly onOpen: (set: ActionSet, panel?: string) => void;
  readonly onAsk: (asked: Asked) => void;
}

/** "alertmanager: status in firing and …" */
function whenText(set: ActionSet, names: Names): string {
  const filters = filtersOf(set).map(constraintText);
  return `${names.source(set.match.sourceId)}: ${filters.join(` ${rules.and} `) || words.every}`;
}

function thenText(set: ActionSet): string {
  const [first, ...others] = valuesOf(set).steps.map(stepText);
  return others.length === 0 ? (first ?? '') : words.moreSteps(first ?? '', others.length);
}

function columnsOf({ names, mayNot, onOpen, onAsk }: Acts): Column<ActionSet>[] {
  const { columns } = words;
  return [
    {
      key: 'enabled',
      header: columns.enabled,
      width: '56px',
      cell: (set, inRow) => (
        <Switch
          does="asks"
          {...inRow}
          checked={set.enabled}
          label={words.isOn(set.name)}
          reason={mayNot}
          onChange={() => onAsk({ act: otherState(set.enabled), set })}
        />
      ),
    },
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      cell: ({ name }) => <span className={`${styles.wrap} ${styles.strong}`}>{name}</span>,
    },
    {
      key: 'when',
      header: columns.when,
      width: 'minmax(0, 1.6fr)',
      from: 'medium',
      cell: (set) => <span className={`${styles.wrap} ${styles.quiet}`}>{whenText(set, names)}</span>,
    },
    {
      key: 'steps',
      header: columns.steps,
      width: 'minmax(0, 1.2fr)',
      from: 'medium',
      cell: (set) => <span className={styles.wrap}>{thenText(set)}</span>,
    },
    menuColumn(
      ({ name }) => words.actions(name),
      (set) =>
        switchedEntries({
          enabled: set.enabled,
          mayNot,
          mayNotDelete: mayNot,
          onOpen: (panel) => onOpen(set, panel),
          onAsk: (act) => onAsk({ act, set }),
        }),
    ),
  ];
}

function useColumns(project: string, mayNot: MayNot, onAsk: (asked: Asked) => void) {
  const [, navigate] = useLocation();
  const names = useNames();
  return useMemo(() => {
    const onOpen = ({ id }: ActionSet, panel?: string) =>
      navigate(path('actionSet', { projectId: project, id }, { panel }));
    return { columns: columnsOf({ names, mayNot, onOpen, onAsk }), onOpen };
  }, [project, names, mayNot, navigate, onAsk]);
}

const asksOf = (set: ActionSet) => ACTS.map((act): Asked => ({ act, set }));
const askKey = ({ act, set: { id } }: Asked) => `${act}~${id}`;

/** The action sets of a project: what follows signals of monitors. */
export function ActionSets({ project }: { readonly project: string }) {
  const query = useQuery(actionSetsQuery(project));
  const [panel, setPanel] = useOpened('panel');
  const [asked, setAsked] = useOpenedItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNot = useMay(WRITING, project);
  const { columns, onOpen } = useColumns(project, mayNot, setAsked);
  const create = () => setPanel('create');
  useShortcut(mayNot === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined);
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <>
      <Loaded query={query} rows={4}>
        {(sets) =>
          sets.length === 0 ? (
            <EmptyState
              icon={<Zap aria-hidden />}
              sentence={words.none}
              action={button}
              command={commandOf(project)}
              commandLabel={words.command}
            />
          ) : (
            <>
              <PageAction>{button}</PageAction>
              <p className={styles.lead}>{words.lead}</p>
              <div className={styles.list}>
                <Table<ActionSet>
                  main
                  wraps
                  label={words.title}
                  columns={columns}
                  rows={sets}
                  rowKey={({ id }) => String(id)}
                  onOpen={(set) => onOpen(set)}
                />
              </div>
            </>
          )
        }
      </Loaded>
      {panel === 'create' && (
        <CreateActionSet project={project} onCreated={(set) => onOpen(set)} onClose={() => setPanel('')} />
      )}
      {asked && <ConfirmAct {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}

const commandOf = (project: string) =>
  curl(`/api/admin/projects/${project}/actions`, {
    name: 'Checkout off after errors',
    actorId: 7,
    match: {
      source: 'signal-endpoint',
      sourceId: 1,
      payload: { status: { operator: 'IN', values: ['firing'] } },
    },
    actions: [
      {
        action: 'TOGGLE_FEATURE_OFF',
        executionParams: { environment: 'production', featureName: 'checkout.new' },
      },
    ],
  });
