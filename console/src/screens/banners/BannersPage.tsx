import { useQuery } from '@tanstack/react-query';
import { Megaphone } from 'lucide-react';
import { useState } from 'react';
import { api, read, stated, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { bannersQuery } from '../../data/settings.ts';
import { Badge, type Tone } from '../../kit/texts/Badge.tsx';
import { plainText } from '../../kit/texts/Markdown.tsx';
import { BannerNotice } from '../../page/BannerNotice.tsx';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { type Act, deletion } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { banners as words } from '../../words/en/admin/banners.ts';
import { type Banner, type BannerValues, fields, shownOf, valuesOf } from './banner-data.ts';

const LIST = '/api/admin/banners';
const ONE = '/api/admin/banners/{id}';

const TONES: Readonly<Record<Banner['variant'], Tone>> = {
  info: 'neutral',
  success: 'good',
  warning: 'warn',
  error: 'bad',
};

const NAME_LENGTH = 60;
/** What a banner is called: its first words. */
const nameOf = ({ message }: Banner) => {
  const line = plainText(message).replace(/\s+/g, ' ').trim();
  return line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH)}…` : line;
};

/** The banner of the form. Each change of the form makes a new one, so that a closed one is there again. */
function Preview({ values }: { readonly values: BannerValues }) {
  const [isClosed, setClosed] = useState(false);
  const isEmpty = values.message.trim() === '';
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.preview}</h3>
      {isEmpty && <p className={styles.quiet}>{words.noPreview}</p>}
      {isClosed && <p className={styles.quiet}>{words.closed}</p>}
      {!isEmpty && !isClosed && <BannerNotice banner={shownOf(values)} onDismiss={() => setClosed(true)} />}
    </section>
  );
}

/** What is shown with the question. */
const question = (effect: string) => (banner: Banner) => ({
  sentences: [effect],
  more: <BannerNotice banner={{ ...banner, sticky: true }} onDismiss={() => undefined} />,
});
const sentFor = ({ id }: Banner, reason: string) => ({ params: { path: { id } }, headers: stated({ reason }) });
const bodyOf = (values: BannerValues) => ({ ...shownOf(values), enabled: values.enabled });

const ACTS: readonly Act<Banner>[] = [
  {
    key: 'on',
    may: 'ADMIN',
    isFor: ({ enabled }) => !enabled,
    menu: words.show,
    label: words.showLabel,
    title: words.showTitle,
    useQuestion: question(words.showEffect),
    run: (banner, reason) => write(api.POST(`${ONE}/on`, sentFor(banner, reason))),
    done: words.shown,
  },
  {
    key: 'off',
    may: 'ADMIN',
    isFor: ({ enabled }) => enabled,
    menu: words.hide,
    label: words.hideLabel,
    title: words.hideTitle,
    useQuestion: question(words.hideEffect),
    run: (banner, reason) => write(api.POST(`${ONE}/off`, sentFor(banner, reason))),
    done: words.hidden,
  },
  deletion(words, {
    may: 'ADMIN',
    useQuestion: question(words.deleteEffect),
    run: (banner, reason) => write(api.DELETE(ONE, sentFor(banner, reason))),
  }),
];

const { columns } = words;

const BANNERS: Resource<Banner, typeof fields> = {
  words,
  fields,
  valuesOf,
  useRows: () => useQuery(bannersQuery),
  refresh: [keys.banners],
  icon: <Megaphone aria-hidden />,
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  keyOf: ({ id }) => String(id),
  nameOf,
  titleOf: () => words.editTitle,
  actions: words.actions,
  switched: { header: columns.shown, width: '64px', label: words.isShown },
  acts: ACTS,
  canUndo: true,
  texts: ({ message, dialog, linkText }) => [message, dialog, linkText],
  sortText: ({ createdAt, id }) => `${createdAt} ${String(id).padStart(12, '0')}`,
  // The newest first.
  firstSort: 'created.desc',
  columns: [
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
    col.time('created', columns.created, ({ createdAt }) => createdAt, '96px'),
  ],
  command: curl(LIST, { message: 'Down at **noon**', variant: 'warning' }),
  above: (values) => <Preview key={JSON.stringify(values)} values={values} />,
  create: (values) => write(api.POST(LIST, { body: bodyOf(values) })),
  // On condition that the banner is as it was when `base` was read.
  save: (banner, base, values, reason) => {
    const readNow = async () => {
      const { banners } = await read(api.GET(LIST, { cache: 'no-store' }));
      const now = banners.find(({ id }) => id === banner.id);
      return now ? valuesOf(now) : null;
    };
    const sent = { ...sentFor(banner, reason), body: bodyOf(values) };
    return ifSame<BannerValues | null, Banner>(readNow, base, () => write(api.PUT(ONE, sent)));
  },
};

/** All banners, with the panel that the address says. */
export const BannersPage = () => <ResourceScreen of={BANNERS} />;
