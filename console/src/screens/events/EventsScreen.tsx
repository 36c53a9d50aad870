import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Combobox } from '../../kit/Combobox.tsx';
import { Diff } from '../../kit/Diff.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { Page, PageBody } from '../../shell/Page.tsx';
import { events as words } from '../../words/en/events.ts';
import styles from './Events.module.css';

const PAGE = 50;

interface Filter {
  readonly query: string;
  readonly project: string;
  readonly createdBy: string;
  readonly from: string;
  readonly to: string;
}

const is = (name: string, value: string) => (value === '' ? {} : { [name]: `IS:${value}` });

const search = ({ query, project, createdBy, from, to }: Filter, beforeId: number | undefined) =>
  read(
    api.GET('/api/admin/search/events', {
      params: {
        query: {
          limit: String(PAGE),
          fields: 'summary',
          ...(query === '' ? {} : { query }),
          ...is('project', project),
          ...is('createdBy', createdBy),
          ...is('from', from),
          ...is('to', to),
          ...(beforeId === undefined ? {} : { beforeId }),
        },
      },
    }),
  );
type Event = Awaited<ReturnType<typeof search>>['events'][number];

/** The large part of an event is read when it is asked for. */
function EventDetails({ id }: { readonly id: number }) {
  const { data, error } = useQuery({
    queryKey: ['own', 'event', id],
    queryFn: () => read(api.GET('/api/admin/search/events', { params: { query: { id: `IS:${id}`, limit: '1' } } })),
  });
  if (error) return <Banner tone="bad">{error.message}</Banner>;
  const event = data?.events[0];
  if (!event) return <Skeleton />;
  return (
    <>
      {event.ip && <p className={styles.quiet}>{words.ip(event.ip)}</p>}
      <Diff groups={[]} json={{ before: event.preData ?? null, after: event.data ?? null }} />
    </>
  );
}

function EventRow({ event }: { readonly event: Event }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={styles.event}>
      <Avatar name={event.createdBy} machine={event.createdByUserId === null || event.createdByUserId < 0} size={24} />
      <div className={styles.what}>
        <p>
          {event.label ?? event.type}{' '}
          {event.featureName &&
            (event.project ? (
              <Link
                className={styles.link}
                href={path('feature', { projectId: event.project, featureId: event.featureName })}
              >
                <code>{event.featureName}</code>
              </Link>
            ) : (
              <code>{event.featureName}</code>
            ))}
        </p>
        {event.summary && <p>{event.summary.replaceAll('**', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')}</p>}
        {event.reason && <p className={styles.reason}>{words.reason(event.reason)}</p>}
        <p className={styles.quiet}>
          {[event.createdBy, event.project, event.environment, event.type].filter(Boolean).join(' · ')} ·{' '}
          <TimeText at={event.createdAt} />
          {event.revision && ` · r${event.revision}`}
        </p>
        <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
          <summary className={styles.summary}>{words.details}</summary>
          {isOpen && <EventDetails id={event.id} />}
        </details>
      </div>
    </li>
  );
}

function useEventFilter() {
  const [query, setQuery] = useUrlState('q');
  const [project, setProject] = useUrlState('project');
  const [createdBy, setCreatedBy] = useUrlState('by');
  const [from, setFrom] = useUrlState('from');
  const [to, setTo] = useUrlState('to');
  return { filter: { query, project, createdBy, from, to }, setQuery, setProject, setCreatedBy, setFrom, setTo };
}

function EventFilters({ state }: { readonly state: ReturnType<typeof useEventFilter> }) {
  const { filter } = state;
  const [text, setText] = useState(filter.query);
  const { data: projects } = useProjects();
  const { data: creators } = useQuery({
    queryKey: keys.events('creators'),
    queryFn: () => read(api.GET('/api/admin/event-creators')),
    retry: false,
  });
  return (
    <search>
      <form
        className={styles.filters}
        onSubmit={(event) => {
          event.preventDefault();
          state.setQuery(text.trim());
        }}
      >
        <Field label={words.search}>
          <TextInput
            type="search"
            data-shortcut-target="filter"
            leading={<Search aria-hidden />}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => state.setQuery(text.trim())}
          />
        </Field>
        <Field label={words.project}>
          <Combobox
            placeholder={words.any}
            options={(projects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={filter.project || null}
            onChange={(value) => state.setProject(value ?? '')}
          />
        </Field>
        <Field label={words.by}>
          <Combobox
            placeholder={words.any}
            options={(creators ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
            value={filter.createdBy || null}
            onChange={(value) => state.setCreatedBy(value ?? '')}
          />
        </Field>
        <Field label={words.from}>
          <TextInput type="date" value={filter.from} onChange={(event) => state.setFrom(event.target.value)} />
        </Field>
        <Field label={words.to}>
          <TextInput type="date" value={filter.to} onChange={(event) => state.setTo(event.target.value)} />
        </Field>
      </form>
    </search>
  );
}

/** Everything that happened, by text, project, person and day. All filters are in the address. */
export function EventsScreen() {
  const state = useEventFilter();
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.events('search', state.filter),
    queryFn: ({ pageParam }) => search(state.filter, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.events.length === PAGE ? page.events.at(-1)?.id : undefined),
  });
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  const cutOff = data?.pages.at(-1)?.searchedDownToTime;
  return (
    <Page title={words.title}>
      <EventFilters state={state} />
      <PageBody>
        {error && <Banner tone="bad">{error.message}</Banner>}
        {cutOff && <Banner tone="warn">{words.cutOff(new Date(cutOff).toLocaleString())}</Banner>}
        {isPending && <Skeleton shape="rows" rows={8} />}
        {data && events.length === 0 && <EmptyState sentence={words.empty} />}
        <ol className={styles.events}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
        {hasNextPage && (
          <div>
            <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {words.older}
            </Button>
          </div>
        )}
      </PageBody>
    </Page>
  );
}
