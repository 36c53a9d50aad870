import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { keys } from '../../data/keys.ts';
import { copyText } from '../../kit/inputs/copy-text.ts';
import { toast } from '../../kit/notices/toast.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { type Listed, ListScreen } from '../../parts/ListScreen.tsx';
import { signupLinks as words } from '../../words/en/admin/signup-links.ts';
import { kit } from '../../words/en/kit.ts';
import { parts } from '../../words/en/parts.ts';
import { CreateLink, EditLink } from './LinkPanels.tsx';
import { linksQuery, type SignupLink, saveLink, stateOf } from './link-data.ts';

const TONES = { on: 'good', off: 'neutral', expired: 'bad' } as const;

async function copyLink({ url }: SignupLink): Promise<void> {
  const isDone = await copyText(url);
  toast(isDone ? { tone: 'good', text: kit.copied } : { tone: 'bad', text: kit.notCopied });
}

const { columns, states } = words;

const LINKS: Listed<SignupLink> = {
  words,
  useRows: () => useQuery(linksQuery),
  refresh: [keys.signupLinks],
  icon: <Link2 aria-hidden />,
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  // The address must not have the secret: it stays in the history of the browser.
  keyOf: ({ createdAt, name }) => `${createdAt} ${name}`,
  nameOf: ({ name }) => name,
  moreEntries: (link) => [{ label: words.copy, onSelect: () => void copyLink(link) }],
  acts: [
    {
      key: 'off',
      may: 'ADMIN',
      isDanger: true,
      isFor: ({ enabled }) => enabled,
      menu: parts.switchOff,
      label: parts.offLabel,
      title: words.offTitle,
      useQuestion: () => ({ sentences: words.offEffects }),
      run: ({ secret }, reason) => saveLink(secret, { enabled: false }, reason),
      done: words.switchedOff,
    },
    {
      key: 'on',
      may: 'ADMIN',
      isFor: ({ enabled }) => !enabled,
      menu: parts.switchOn,
      label: parts.onLabel,
      title: words.onTitle,
      useQuestion: () => ({ sentences: words.onEffects }),
      run: ({ secret }, reason) => saveLink(secret, { enabled: true }, reason),
      done: words.switchedOn,
    },
  ],
  canUndo: false,
  texts: ({ name, createdBy, users }) => [name, createdBy, ...users.map(({ email }) => email)],
  sortText: ({ name, expiresAt }, key) => (key === 'expires' ? expiresAt : name),
  columns: [
    col.strong('name', columns.name, ({ name }) => name, { width: 'minmax(0, 2fr)', sortable: true }),
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
    col.number('people', columns.people, ({ users }) => users.length, { width: '72px', from: 'medium' }),
    col.time('expires', columns.expires, ({ expiresAt }) => expiresAt, {
      width: '112px',
      from: 'medium',
      sortable: true,
    }),
    col.quiet('by', columns.by, ({ createdBy }) => createdBy, { width: 'minmax(0, 1fr)', from: 'wide' }),
  ],
  command: curl('/api/admin/invite-link/tokens', { name: 'Web shop', expiresAt: '2030-01-01T00:00:00Z' }),
};

/** All links, with the panel that the address says. */
export const SignupLinksPage = () => (
  <ListScreen
    of={LINKS}
    create={(onClose, open) => <CreateLink onCreated={open} onClose={onClose} />}
    edit={(link, onClose) => <EditLink key={link.secret} link={link} onClose={onClose} />}
  />
);
