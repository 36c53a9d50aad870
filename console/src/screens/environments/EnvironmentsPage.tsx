import { Layers, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { moved } from '../../domain/moved.ts';
import { useShortcut } from '../../keys/registry.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Switch } from '../../kit/inputs/Switch.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { announce } from '../../kit/notices/live-region.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import { OrderButtons } from '../../parts/OrderButtons.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { RowPanel } from '../../parts/RowPanel.tsx';
import { path } from '../../paths.ts';
import { useQuickWrite } from '../../save/use-write.ts';
import { environments as words } from '../../words/en/environments.ts';
import { parts } from '../../words/en/parts.ts';
import { past } from '../../words/en/past.ts';
import { CloneEnvironment, CreateEnvironment, EditEnvironment } from './EnvironmentPanels.tsx';
import { type Environment, setEnabled, setOrder } from './environment-data.ts';

interface Acts {
  readonly names: readonly string[];
  readonly mayNotUpdate: MayNot;
  readonly mayNotCreate: MayNot;
  readonly mayNotDelete: MayNot;
  readonly onMove: (at: number, by: 1 | -1) => void;
  readonly onSwitch: (environment: Environment, on: boolean) => void;
  readonly onPanel: (panel: string) => void;
  readonly onHistory: (name: string) => void;
  readonly onDelete: (environment: Environment) => void;
}

const count = (value: number | null | undefined) => <NumberText value={value ?? 0} />;

function orderColumn(acts: Acts): Column<Environment> {
  return {
    key: 'order',
    header: words.columns.order,
    isHeaderHidden: true,
    width: '56px',
    cell: ({ name }, inRow) => {
      const at = acts.names.indexOf(name);
      return (
        <span className={styles.between}>
          <OrderButtons
            name={name}
            index={at}
            count={acts.names.length}
            reason={acts.mayNotUpdate}
            inRow={inRow}
            announces={false}
            onMove={(by) => acts.onMove(at, by)}
          />
        </span>
      );
    },
  };
}

function actionsColumn(acts: Acts): Column<Environment> {
  return menuColumn(
    (environment) => parts.actionsFor(environment.name),
    (environment) => [
      { label: past.history, onSelect: () => acts.onHistory(environment.name) },
      { label: parts.editMenu, reason: acts.mayNotUpdate, onSelect: () => acts.onPanel(`edit:${environment.name}`) },
      {
        label: words.clone,
        reason: acts.mayNotCreate,
        onSelect: () => acts.onPanel(`clone:${environment.name}`),
      },
      {
        label: parts.deleteMenu,
        danger: true,
        reason: acts.mayNotDelete ?? (environment.protected ? words.isProtected : undefined),
        onSelect: () => acts.onDelete(environment),
      },
    ],
  );
}

function columnsOf(acts: Acts): Column<Environment>[] {
  const { columns } = words;
  return [
    orderColumn(acts),
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.4fr)',
      cell: ({ name, type }) => <EnvironmentMark name={name} production={isProduction(type)} />,
    },
    {
      key: 'type',
      header: columns.type,
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: ({ type }) => <span className={styles.quiet}>{words.types[type] ?? type}</span>,
    },
    {
      key: 'projects',
      header: columns.projects,
      width: '72px',
      align: 'end',
      from: 'medium',
      cell: ({ projectCount }) => count(projectCount),
    },
    {
      key: 'tokens',
      header: columns.tokens,
      width: '72px',
      align: 'end',
      from: 'wide',
      cell: ({ apiTokenCount }) => count(apiTokenCount),
    },
    {
      key: 'flags',
      header: columns.flags,
      width: '72px',
      align: 'end',
      from: 'medium',
      cell: ({ enabledToggleCount }) => count(enabledToggleCount),
    },
    {
      key: 'reason',
      header: columns.reason,
      width: '104px',
      from: 'wide',
      cell: ({ requireReason }) => requireReason && <Badge tone="warn">{words.demanded}</Badge>,
    },
    {
      key: 'enabled',
      header: columns.enabled,
      width: '64px',
      cell: (environment, inRow) => (
        <Switch
          does={environment.enabled ? 'asks' : 'saves'}
          {...inRow}
          checked={environment.enabled}
          label={words.enable(environment.name)}
          guarded={environment.enabled && isProduction(environment.type)}
          reason={acts.mayNotUpdate}
          onChange={(on) => acts.onSwitch(environment, on)}
        />
      ),
    },
    actionsColumn(acts),
  ];
}

interface Openers {
  readonly onPanel: (panel: string) => void;
  readonly onDelete: (environment: Environment) => void;
  readonly onDisable: (environment: Environment) => void;
}

/** The columns with what their controls do. Moves and enabling are saved at once; the rest opens something. */
function useColumns(environments: readonly Environment[] | undefined, { onPanel, onDelete, onDisable }: Openers) {
  const { run } = useQuickWrite();
  const [, navigate] = useLocation();
  const mayNotUpdate = useMay('UPDATE_ENVIRONMENT');
  const mayNotCreate = useMay('CREATE_ENVIRONMENT');
  const mayNotDelete = useMay('DELETE_ENVIRONMENT');
  return useMemo(() => {
    const names = (environments ?? []).map(({ name }) => name);
    return columnsOf({
      names,
      mayNotUpdate,
      mayNotCreate,
      mayNotDelete,
      onMove: (at, by) => {
        const name = names[at] ?? '';
        void run<unknown>(() => setOrder(moved(names, at, by)), {
          refresh: [keys.environments, ['project']],
          onDone: () => announce(parts.moved(name, at + by + 1, names.length)),
        });
      },
      onSwitch: (environment, on) => {
        if (!on) return onDisable(environment);
        void run<unknown>(() => setEnabled(environment.name, true), {
          text: words.enabled(environment.name),
          canUndo: true,
          refresh: [keys.environments],
        });
      },
      onPanel,
      onHistory: (name) => navigate(path('environmentHistory', { name })),
      onDelete,
    });
  }, [environments, mayNotUpdate, mayNotCreate, mayNotDelete, run, navigate, onPanel, onDelete, onDisable]);
}

const nameOf = ({ name }: Environment) => name;

export function EnvironmentsPage() {
  const query = useEnvironments();
  const [panel, setPanel] = useOpened('panel');
  const [deleting, setDeleting] = useOpenedItem('delete', query.data, nameOf);
  const [disabling, setDisabling] = useOpenedItem('disable', query.data, nameOf);
  const mayNotCreate = useMay('CREATE_ENVIRONMENT');
  const { data } = query;
  const columns = useColumns(data, { onPanel: setPanel, onDelete: setDeleting, onDisable: setDisabling });
  const create = () => setPanel('create');
  useShortcut(
    mayNotCreate === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined,
  );
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNotCreate} onClick={create}>
      {words.create}
    </Button>
  );
  const [kind, name] = [panel.split(':')[0], panel.slice(panel.indexOf(':') + 1)];
  const shown = kind === 'edit' || kind === 'clone' ? name : '';
  const close = () => setPanel('');
  return (
    <Page name={words.title} count={data?.length} lead={words.lead} actions={button}>
      <Loaded query={query}>
        {(environments) =>
          environments.length === 0 ? (
            <EmptyState icon={<Layers aria-hidden />} sentence={words.none} action={button} command={command()} />
          ) : (
            <div className={styles.list}>
              <Table<Environment>
                main
                label={words.title}
                columns={columns}
                rows={environments}
                rowKey={(one) => one.name}
                onOpen={(one) => setPanel(`edit:${one.name}`)}
              />
            </div>
          )
        }
      </Loaded>
      {kind === 'create' && <CreateEnvironment onClose={close} />}
      <RowPanel rows={data} keyOf={nameOf} shown={shown} type="environment">
        {(environment) =>
          kind === 'clone' ? (
            <CloneEnvironment key={panel} source={environment} onClose={close} />
          ) : (
            <EditEnvironment key={panel} environment={environment} onClose={close} />
          )
        }
      </RowPanel>
      {deleting && (
        <DeleteEnvironment
          environment={deleting}
          onDone={() => deleting.name === shown && close()}
          onClose={() => setDeleting(null)}
        />
      )}
      {disabling && <DisableEnvironment environment={disabling} onClose={() => setDisabling(null)} />}
    </Page>
  );
}

const command = () =>
  `curl -X POST ${location.origin}/api/admin/environments -H "Authorization: $ADMIN_TOKEN" -H 'content-type: application/json' -d '{"name":"staging","type":"test"}'`;

interface OneProps {
  readonly environment: Environment;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

function DeleteEnvironment({ environment, ...does }: OneProps) {
  const { name, type, apiTokenCount, requireReason } = environment;
  return (
    <ConfirmDialog<unknown>
      danger
      production={isProduction(type)}
      title={words.deleteTitle(name)}
      sentences={words.deleteEffects(name, apiTokenCount ?? 0)}
      typed={name}
      needsReason={requireReason}
      mayNot={useMay('DELETE_ENVIRONMENT')}
      label={parts.delete}
      act={(reason) =>
        write(api.DELETE('/api/admin/environments/{name}', { params: { path: { name } }, headers: stated({ reason }) }))
      }
      saved={{ canUndo: true, text: words.deleted(name), refresh: [keys.environments, ['project']] }}
      {...does}
    />
  );
}

function DisableEnvironment({ environment: { name, type, projectCount }, onClose }: OneProps) {
  return (
    <ConfirmDialog<unknown>
      production={isProduction(type)}
      title={parts.offTitle(name)}
      sentences={words.disableEffects(name, projectCount ?? 0)}
      label={parts.offLabel}
      mayNot={useMay('UPDATE_ENVIRONMENT')}
      act={(reason) => setEnabled(name, false, reason)}
      saved={{ canUndo: true, text: parts.isOff(name), refresh: [keys.environments] }}
      onClose={onClose}
    />
  );
}
