import { useQuery } from '@tanstack/react-query';
import { Milestone } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { type MayNot, useMay } from '../../data/may.ts';
import { useUrlItem, useUrlState } from '../../data/url-state.ts';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { path } from '../../paths.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { menuColumn } from '../parts/menu-column.tsx';
import styles from '../parts/parts.module.css';
import { curl, PeopleList } from '../people/PeopleList.tsx';
import { ACTS, type Act, ConfirmAct } from './TemplateActs.tsx';
import { type Template, templatesQuery } from './template-data.ts';

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
    {
      key: 'created',
      header: columns.created,
      width: '96px',
      sortable: true,
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    menuColumn(
      ({ name }) => words.actions(name),
      (template) => [
        { label: words.open, onSelect: () => onOpen(template) },
        ...(template.archivedAt === null
          ? [{ label: words.archive, reason: mayNotDelete, onSelect: () => onAsk({ act: 'archive', template }) }]
          : []),
        { label: words.delete, danger: true, reason: mayNotDelete, onSelect: () => onAsk({ act: 'delete', template }) },
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

/** All release templates: those of which plans can be made, or the archived ones. */
export function TemplatesPage() {
  const query = useQuery(templatesQuery);
  const [, navigate] = useLocation();
  // The list clears it together with its filter.
  const [shown, setShown] = useUrlState('role', 'used');
  const [asked, setAsked] = useUrlItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNotDelete = useMay('RELEASE_PLAN_TEMPLATE_DELETE');
  const open = useMemo(
    () =>
      ({ id }: Template) =>
        navigate(path('releaseTemplate', { id })),
    [navigate],
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
    <PeopleList<Template>
      words={words}
      icon={<Milestone aria-hidden />}
      query={query}
      rows={query.data}
      keep={keep}
      columns={columns}
      rowKey={({ id }) => id}
      texts={texts}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={useMay('RELEASE_PLAN_TEMPLATE_CREATE')}
      onCreate={() => navigate(path('createReleaseTemplate'))}
      onOpen={open}
      command={curl('/api/admin/release-plan-templates', {
        name: 'Slow rollout',
        milestones: [
          { name: 'First users', strategies: [{ strategyName: 'flexibleRollout', parameters: { rollout: '10' } }] },
          { name: 'Everyone', strategies: [{ strategyName: 'default' }] },
        ],
      })}
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
    </PeopleList>
  );
}
