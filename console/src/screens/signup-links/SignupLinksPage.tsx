import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { copyText } from '../../kit/inputs/copy-text.ts';
import type { Column } from '../../kit/lists/Table.tsx';
import { toast } from '../../kit/notices/toast.ts';
import type { MenuEntry } from '../../kit/overlays/Menu.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { signupLinks as words } from '../../words/en/admin/signup-links.ts';
import { kit } from '../../words/en/kit.ts';
import { CreateLink, EditLink } from './LinkPanels.tsx';
import { linksQuery, type SignupLink, saveLink, stateOf } from './link-data.ts';

const TONES = { on: 'good', off: 'neutral', expired: 'bad' } as const;

async function copyLink({ url }: SignupLink): Promise<void> {
  const isDone = await copyText(url);
  toast(isDone ? { tone: 'good', text: kit.copied } : { tone: 'bad', text: kit.notCopied });
}

interface Acts {
  readonly mayNot: MayNot;
  readonly onOpen: (link: SignupLink) => void;
  readonly onToggle: (link: SignupLink) => void;
}

const entriesOf = (link: SignupLink, { mayNot, onOpen, onToggle }: Acts): readonly MenuEntry[] => [
  { label: words.copy, onSelect: () => void copyLink(link) },
  { label: words.edit, onSelect: () => onOpen(link) },
  { label: link.enabled ? words.switchOff : words.switchOn, reason: mayNot, onSelect: () => onToggle(link) },
];

function columnsOf(acts: Acts): Column<SignupLink>[] {
  const { columns, states } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 2fr)',
      sortable: true,
      cell: ({ name }) => <span className={`${styles.cut} ${styles.strong}`}>{name}</span>,
    },
    {
      key: 'state',
      header: columns.state,
      width: '88px',
      cell: (link) => {
        const state = stateOf(link, Date.now());
        return (
          <Badge tone={TONES[state]} dot>
            {states[state]}
          </Badge>
        );
      },
    },
    {
      key: 'people',
      header: columns.people,
      width: '72px',
      align: 'end',
      from: 'medium',
      cell: ({ users }) => <NumberText value={users.length} />,
    },
    {
      key: 'expires',
      header: columns.expires,
      width: '112px',
      sortable: true,
      from: 'medium',
      cell: ({ expiresAt }) => <TimeText at={expiresAt} />,
    },
    {
      key: 'by',
      header: columns.by,
      width: 'minmax(0, 1fr)',
      from: 'wide',
      cell: ({ createdBy }) => <span className={`${styles.cut} ${styles.quiet}`}>{createdBy}</span>,
    },
    menuColumn(
      ({ name }) => words.actions(name),
      (link) => entriesOf(link, acts),
    ),
  ];
}

function Toggle({ link, onClose }: { readonly link: SignupLink; readonly onClose: () => void }) {
  const { secret, name, enabled } = link;
  return (
    <ConfirmDialog<SignupLink>
      danger={enabled}
      title={enabled ? words.offTitle(name) : words.onTitle(name)}
      sentences={enabled ? words.offEffects : words.onEffects}
      label={enabled ? words.offLabel : words.onLabel}
      mayNot={useMay('ADMIN')}
      act={(reason) => saveLink(secret, { enabled: !enabled }, reason)}
      saved={{ text: enabled ? words.switchedOff(name) : words.switchedOn(name), refresh: [keys.signupLinks] }}
      onClose={onClose}
    />
  );
}

const textsOf = ({ name, createdBy, users }: SignupLink) => [name, createdBy, ...users.map(({ email }) => email)];
const sortText = ({ name, expiresAt }: SignupLink, key: string) => (key === 'expires' ? expiresAt : name);
/** The address must not have the secret: it stays in the history of the browser. */
const panelOf = ({ createdAt, name }: SignupLink) => `${createdAt} ${name}`;

/** All links, with the panel that the address says. */
export function SignupLinksPage() {
  const query = useQuery(linksQuery);
  const [panel, setPanel] = useOpened('panel');
  const [toggling, setToggling] = useOpenedItem('ask', query.data, panelOf);
  const mayNot = useMay('ADMIN');
  const columns = useMemo(
    () => columnsOf({ mayNot, onOpen: (link) => setPanel(panelOf(link)), onToggle: setToggling }),
    [mayNot, setPanel, setToggling],
  );
  const shown = query.data?.find((link) => panelOf(link) === panel);
  return (
    <ListPage<SignupLink>
      words={words}
      icon={<Link2 aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={({ secret }) => secret}
      texts={textsOf}
      sortText={sortText}
      firstSort="name"
      mayNotCreate={mayNot}
      onCreate={() => setPanel('create')}
      onOpen={(link) => setPanel(panelOf(link))}
      command={curl('/api/admin/invite-link/tokens', { name: 'Web shop', expiresAt: '2030-01-01T00:00:00Z' })}
    >
      {panel === 'create' && <CreateLink onCreated={(link) => setPanel(panelOf(link))} onClose={() => setPanel('')} />}
      {shown && <EditLink key={shown.secret} link={shown} onClose={() => setPanel('')} />}
      {toggling && <Toggle link={toggling} onClose={() => setToggling(null)} />}
    </ListPage>
  );
}
