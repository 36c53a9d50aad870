import { useQuery } from '@tanstack/react-query';
import { Milestone } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import type { MayNot } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { col } from '../../parts/columns.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import {
  type Owner,
  pagesOf,
  type Template,
  templatesQuery,
  useMayTemplate,
} from '../../release-plans/template-data.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';
import { ACTS, type Act, ConfirmAct } from './TemplateActs.tsx';

interface Asked {
  readonly act: Act;
  readonly template: Template;
}

interface Acts {
  readonly mayNotDelete: MayNot;
  readonly onOpen: (template: Template) => void;
  readonly onAsk: (asked: Asked) => void;
}

function columnsOf({ mayNotDelete, onOpen, onAsk }: Acts): Column<Template>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1fr)',
      sortable: true,
      cell: ({ name, description }) => (
        <span className={styles.cut}>
          <span className={styles.strong}>{name}</span>
          {description && <span className={styles.quiet}> {description}</span>}
        </span>
      ),
    },
    {
      key: 'milestones',
      header: columns.milestones,
      width: 'minmax(0, 1fr)',
      from: 'medium',
      cell: ({ milestones }) => (
        <span className={`${styles.cut} ${styles.quiet}`}>{milestones.map(({ name }) => name).join(' → ')}</span>
      ),
    },
    col.time('created', columns.created, ({ createdAt }) => createdAt, { width: '96px', sortable: true }),
    menuColumn(
      ({ name }) => parts.actionsFor(name),
      (template) => [
        { label: parts.open, onSelect: () => onOpen(template) },
        ...(template.archivedAt === null
          ? [{ label: parts.archiveMenu, reason: mayNotDelete, onSelect: () => onAsk({ act: 'archive', template }) }]
          : []),
        {
          label: parts.deleteMenu,
          danger: true,
          reason: mayNotDelete,
          onSelect: () => onAsk({ act: 'delete', template }),
        },
      ],
    ),
  ];
}

const asksOf = (template: Template) => ACTS.map((act): Asked => ({ act, template }));
const askKey = ({ act, template: { id } }: Asked) => `${act}~${id}`;
const texts = ({ name, description, milestones }: Template) => [
  name,
  description,
  ...milestones.map((milestone) => milestone.name),
];
const sortText = ({ name, createdAt }: Template, key: string) => (key === 'created' ? createdAt : name);
const SHOWN = [
  { value: 'used', label: words.active },
  { value: 'archived', label: words.archivedOnes },
] as const;

const ALL = '*';
const ALL_PATH = '/api/admin/release-plan-templates';

/** Chooses whose templates are shown. */
function OwnerChoice({ owner }: { readonly owner: Owner }) {
  const [, navigate] = useLocation();
  const { data: projects = [] } = useProjects();
  return (
    <Select
      label={words.owner}
      value={owner ?? ALL}
      onChange={(value) => navigate(pagesOf(value === ALL ? undefined : value).list)}
      options={[
        { value: ALL, label: words.ofAll },
        ...projects.map(({ id, name }) => ({ value: id, label: words.ofProject(name) })),
      ]}
    />
  );
}

/** The release templates of all projects, or of one: those of which plans can be made, or the archived ones. */
export function TemplatesPage() {
  const { projectId: owner } = useParams<{ projectId?: string }>();
  const pages = useMemo(() => pagesOf(owner), [owner]);
  const query = useQuery(templatesQuery(owner));
  const [, navigate] = useLocation();
  // The list clears it together with its filter.
  const [shown, setShown] = useUrlState('role', 'used');
  const [asked, setAsked] = useOpenedItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNotDelete = useMayTemplate('DELETE', owner);
  const open = useMemo(
    () =>
      ({ id }: Template) =>
        navigate(pages.one(id)),
    [navigate, pages],
  );
  const columns = useMemo(
    () => columnsOf({ mayNotDelete, onOpen: open, onAsk: setAsked }),
    [mayNotDelete, open, setAsked],
  );
  const keep = useMemo(() => {
    const isArchived = shown === 'archived';
    return ({ archivedAt }: Template) => (archivedAt !== null) === isArchived;
  }, [shown]);
  return (
    <ListPage<Template>
      words={owner === undefined ? words : { ...words, title: words.titleOf(owner), lead: words.leadOf }}
      icon={<Milestone aria-hidden />}
      query={query}
      rows={query.data}
      keep={keep}
      columns={columns}
      rowKey={({ id }) => id}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={useMayTemplate('CREATE', owner)}
      onCreate={() => navigate(pages.create)}
      onOpen={open}
      command={curl(
        owner === undefined ? ALL_PATH : `/api/admin/projects/${encodeURIComponent(owner)}/release-plan-templates`,
        {
          name: 'Slow rollout',
          milestones: [
            { name: 'First users', strategies: [{ strategyName: 'flexibleRollout', parameters: { rollout: '10' } }] },
            { name: 'Everyone', strategies: [{ strategyName: 'default' }] },
          ],
        },
      )}
      choice={
        <div className={styles.filter}>
          <OwnerChoice owner={owner} />
        </div>
      }
      tools={
        <Segmented
          label={words.shown}
          options={SHOWN}
          value={shown === 'archived' ? 'archived' : 'used'}
          onChange={setShown}
        />
      }
    >
      {asked && <ConfirmAct {...asked} onClose={() => setAsked(null)} />}
    </ListPage>
  );
}
