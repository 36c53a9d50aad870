import { useQuery } from '@tanstack/react-query';
import { Megaphone } from 'lucide-react';
import { useMemo } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { bannersQuery } from '../../data/settings.ts';
import { Switch } from '../../kit/inputs/Switch.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { Badge, type Tone } from '../../kit/texts/Badge.tsx';
import { plainText } from '../../kit/texts/Markdown.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { BannerNotice } from '../../page/BannerNotice.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { curl, ListPage } from '../../parts/ListPage.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { banners as words } from '../../words/en/admin/banners.ts';
import { parts } from '../../words/en/parts.ts';
import { CreateBanner, EditBanner } from './BannerPanels.tsx';
import type { Banner } from './banner-data.ts';

const TONES: Readonly<Record<Banner['variant'], Tone>> = {
  info: 'neutral',
  success: 'good',
  warning: 'warn',
  error: 'bad',
};

const ACTS = ['show', 'hide', 'delete'] as const;

interface Asked {
  readonly act: (typeof ACTS)[number];
  readonly banner: Banner;
}

interface Acts {
  readonly mayNot: MayNot;
  readonly onOpen: (banner: Banner) => void;
  readonly onAsk: (asked: Asked) => void;
}

const NAME_LENGTH = 60;
/** What a banner is called: its first words. */
const nameOf = ({ message }: Banner) => {
  const line = plainText(message).replace(/\s+/g, ' ').trim();
  return line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH)}…` : line;
};

function columnsOf({ mayNot, onOpen, onAsk }: Acts): Column<Banner>[] {
  const { columns } = words;
  const toggled = (banner: Banner): Asked => ({ act: banner.enabled ? 'hide' : 'show', banner });
  return [
    {
      key: 'shown',
      header: columns.shown,
      width: '64px',
      cell: (banner, inRow) => (
        <Switch
          does="asks"
          {...inRow}
          checked={banner.enabled}
          label={words.isShown(nameOf(banner))}
          reason={mayNot}
          onChange={() => onAsk(toggled(banner))}
        />
      ),
    },
    {
      key: 'message',
      header: columns.message,
      width: 'minmax(0, 3fr)',
      cell: (banner) => <span className={styles.cut}>{nameOf(banner)}</span>,
    },
    {
      key: 'kind',
      header: columns.kind,
      width: '104px',
      from: 'medium',
      cell: ({ variant }) => <Badge tone={TONES[variant]}>{words.kinds[variant]}</Badge>,
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
      (banner) => words.actions(nameOf(banner)),
      (banner) => [
        { label: words.edit, onSelect: () => onOpen(banner) },
        {
          label: banner.enabled ? words.hide : words.show,
          reason: mayNot,
          onSelect: () => onAsk(toggled(banner)),
        },
        { label: words.delete, danger: true, reason: mayNot, onSelect: () => onAsk({ act: 'delete', banner }) },
      ],
    ),
  ];
}

const TEXTS = {
  show: [words.showTitle, words.showEffect, words.showLabel, words.shown],
  hide: [words.hideTitle, words.hideEffect, words.hideLabel, words.hidden],
  delete: [words.deleteTitle, words.deleteEffect, parts.delete, words.deleted],
} as const;

function Confirm({ asked: { act, banner }, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const [title, effect, label, text] = TEXTS[act];
  return (
    <ConfirmDialog<unknown>
      danger={act === 'delete'}
      title={title}
      sentences={[effect]}
      label={label}
      mayNot={useMay('ADMIN')}
      act={(reason) => {
        const sent = { params: { path: { id: banner.id } }, headers: stated({ reason }) };
        if (act === 'delete') return write<unknown>(api.DELETE('/api/admin/banners/{id}', sent));
        return write<unknown>(
          act === 'show' ? api.POST('/api/admin/banners/{id}/on', sent) : api.POST('/api/admin/banners/{id}/off', sent),
        );
      }}
      saved={{ canUndo: true, text, refresh: [keys.banners] }}
      onClose={onClose}
    >
      <BannerNotice banner={{ ...banner, sticky: true }} onDismiss={() => undefined} />
    </ConfirmDialog>
  );
}

const asksOf = (banner: Banner) => ACTS.map((act): Asked => ({ act, banner }));
const askKey = ({ act, banner }: Asked) => `${act}~${banner.id}`;

const textsOf = ({ message, dialog, linkText }: Banner) => [message, dialog, linkText];
const sortText = ({ createdAt, id }: Banner) => `${createdAt} ${String(id).padStart(12, '0')}`;

/** All banners, the newest first, with the panel that the address says. */
export function BannersPage() {
  const query = useQuery(bannersQuery);
  const [panel, setPanel] = useOpened('panel');
  const [asked, setAsked] = useOpenedItem('ask', query.data?.flatMap(asksOf), askKey);
  const mayNot = useMay('ADMIN');
  const columns = useMemo(
    () => columnsOf({ mayNot, onOpen: ({ id }) => setPanel(String(id)), onAsk: setAsked }),
    [mayNot, setPanel, setAsked],
  );
  const shown = query.data?.find(({ id }) => String(id) === panel);
  return (
    <ListPage<Banner>
      words={words}
      icon={<Megaphone aria-hidden />}
      query={query}
      rows={query.data}
      columns={columns}
      rowKey={({ id }) => String(id)}
      texts={textsOf}
      sortText={sortText}
      firstSort="created.desc"
      mayNotCreate={mayNot}
      onCreate={() => setPanel('create')}
      onOpen={({ id }) => setPanel(String(id))}
      command={curl('/api/admin/banners', { message: 'Down at **noon**', variant: 'warning' })}
    >
      {panel === 'create' && <CreateBanner onClose={() => setPanel('')} />}
      {shown && <EditBanner key={shown.id} banner={shown} onClose={() => setPanel('')} />}
      {asked && <Confirm asked={asked} onClose={() => setAsked(null)} />}
    </ListPage>
  );
}
