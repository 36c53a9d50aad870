import { Plus, SlidersHorizontal } from 'lucide-react';
import { useLocation, useParams } from 'wouter';
import { useMay } from '../../data/may.ts';
import { useContextFields } from '../../data/settings.ts';
import type { ContextField } from '../../domain/model.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { type Column, Table } from '../../kit/Table.tsx';
import { PATHS, path } from '../../paths.ts';
import { Page } from '../../shell/Page.tsx';
import { context as words } from '../../words/en/segments.ts';
import { ContextFieldEditor } from './ContextFieldEditor.tsx';

const columns: Column<ContextField>[] = [
  { key: 'name', header: words.columns.name, width: 'minmax(140px, 1fr)', cell: ({ name }) => <code>{name}</code> },
  {
    key: 'description',
    header: words.columns.description,
    width: 'minmax(140px, 2fr)',
    from: 'medium',
    cell: ({ description }) => description,
  },
  {
    key: 'values',
    header: words.columns.values,
    width: '110px',
    align: 'end',
    cell: ({ legalValues }) => <NumberText value={legalValues.length} />,
  },
  {
    key: 'sticky',
    header: words.columns.sticky,
    width: '100px',
    from: 'medium',
    cell: ({ stickiness }) => (stickiness ? words.yes : ''),
  },
  {
    key: 'flags',
    header: words.columns.flags,
    width: '80px',
    align: 'end',
    cell: ({ usedInFeatures }) => <NumberText value={usedInFeatures ?? 0} />,
  },
];

/** All context fields; the address says which one is edited. */
export function ContextScreen() {
  const { name } = useParams<{ name?: string }>();
  const [location, navigate] = useLocation();
  const { data, error } = useContextFields();
  const mayNot = useMay('CREATE_CONTEXT_FIELD');
  const isNew = location === PATHS.createContextField;
  const opened = data?.find((field) => field.name === name);
  const create = (
    <Button
      kind="primary"
      icon={<Plus aria-hidden />}
      reason={mayNot}
      onClick={() => navigate(path('createContextField'))}
    >
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      actions={create}
      inspector={
        (isNew || opened) && (
          <ContextFieldEditor key={name ?? 'new'} field={opened} onClose={() => navigate(path('context'))} />
        )
      }
    >
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={4} />}
      {data && (
        <Table<ContextField>
          label={words.title}
          main
          columns={columns}
          rows={data}
          rowKey={(field) => field.name}
          onOpen={(field) => navigate(path('contextField', { name: field.name }))}
          empty={<EmptyState icon={<SlidersHorizontal aria-hidden />} sentence={words.empty} action={create} />}
        />
      )}
    </Page>
  );
}
