import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, read, stated, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { flagTypesQuery } from '../../data/settings.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { flagTypes as words } from '../../words/en/admin/flag-types.ts';

type FlagType = components['schemas']['featureType'];

async function lifetimeNow(id: string): Promise<number | null> {
  const { types } = await read(api.GET('/api/admin/feature-types', { cache: 'no-store' }));
  return types.find((type) => type.id === id)?.lifetimeDays || null;
}

const DAYS_MAX = 36_500;
const daysText = (days: number | null) => (days === null || days === 0 ? words.noEnd : words.days(days));

/** Undefined: the text is no lifetime. Null: no end. */
function daysOf(text: string): number | null | undefined {
  if (text === '') return null;
  const days = Number(text);
  return /^\d+$/.test(text) && days >= 1 && days <= DAYS_MAX ? days : undefined;
}

function EditType({ type, onClose }: { readonly type: FlagType; readonly onClose: () => void }) {
  const { id, name, description } = type;
  const [before] = useState(() => type.lifetimeDays || null);
  const [text, setText] = useKept('text', before === null ? '' : String(before));
  const mayNot = useMay('ADMIN');
  const days = daysOf(text);
  const problem = days === undefined ? words.lifetimeWrong : undefined;
  const sentences =
    days === undefined || days === before
      ? []
      : [words.changed(name, daysText(before), daysText(days)), days === null ? words.noEffect : words.effect(days)];
  return (
    <EditPanel<FlagType>
      title={name}
      mayNot={mayNot}
      problem={problem}
      sentences={sentences}
      save={(reason) =>
        ifSame(
          () => lifetimeNow(id),
          before,
          () =>
            write(
              api.PUT('/api/admin/feature-types/{id}/lifetime', {
                params: { path: { id } },
                headers: stated({ reason }),
                body: { lifetimeDays: days ?? null },
              }),
            ),
        )
      }
      // Which flags are potentially stale depends on the lifetimes.
      saved={{ canUndo: true, text: words.saved(name), refresh: [keys.featureTypes, ['feature'], ['project']] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <p className={styles.quiet}>{description}</p>
      <Field label={words.lifetime} hint={words.lifetimeHint} error={problem}>
        <TextInput
          autoFocus
          inputMode="numeric"
          maxLength={5}
          value={text}
          onChange={(event) => setText(event.target.value.trim())}
        />
      </Field>
    </EditPanel>
  );
}

const columnsOf = (): Column<FlagType>[] => [
  {
    key: 'name',
    header: words.columns.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <span className={`${styles.cut} ${styles.strong}`}>{name}</span>,
  },
  {
    key: 'description',
    header: words.columns.description,
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: ({ description }) => <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>,
  },
  {
    key: 'lifetime',
    header: words.columns.lifetime,
    width: '96px',
    align: 'end',
    cell: ({ lifetimeDays }) => daysText(lifetimeDays),
  },
];

/** The types are fixed; only their lifetimes are set. */
export function FlagTypesPage() {
  const query = useQuery(flagTypesQuery);
  const [panel, setPanel] = useOpened('panel');
  const columns = useMemo(columnsOf, []);
  const shown = query.data?.find(({ id }) => id === panel);
  return (
    <Page name={words.title} count={query.data?.length} lead={words.lead}>
      <Loaded query={query}>
        {(all) => (
          <div className={styles.list}>
            <Table<FlagType>
              main
              label={words.title}
              columns={columns}
              rows={all}
              rowKey={({ id }) => id}
              rowName={({ name }) => name}
              onOpen={({ id }) => setPanel(id)}
            />
          </div>
        )}
      </Loaded>
      {shown && <EditType key={shown.id} type={shown} onClose={() => setPanel('')} />}
    </Page>
  );
}
