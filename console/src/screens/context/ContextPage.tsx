import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { api, read, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { useContextFieldsWithUse } from '../../data/settings.ts';
import type { ContextField } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { col } from '../../parts/columns.tsx';
import { area, check, text, type ValuesOf } from '../../parts/fields.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { path } from '../../paths.ts';
import { context as words } from '../../words/en/context.ts';
import { usedBy } from '../../words/en/segments.ts';
import { legalValues } from './LegalValues.tsx';

const LIST = '/api/admin/context';
const ONE = '/api/admin/context/{contextField}';

const fields = {
  name: text(words.name, { max: 100, mono: true, trims: true, isRequired: true, isFixed: true, hint: words.nameHint }),
  description: area(words.description, { max: 2000 }),
  stickiness: check(words.stickiness),
  legalValues,
};
type Values = ValuesOf<typeof fields>;

const valuesOf = (field: ContextField): Values => ({
  name: field.name,
  description: field.description ?? '',
  stickiness: field.stickiness,
  legalValues: field.legalValues.map(({ value, description }) => ({ value, description: description ?? '' })),
});
const bodyOf = ({ description, stickiness, legalValues: values }: Values) => ({
  description: description.trim() || null,
  stickiness,
  legalValues: values.map((one) => ({
    value: one.value,
    ...(one.description.trim() && { description: one.description.trim() }),
  })),
});
const pathOf = ({ name }: ContextField) => ({ path: { contextField: name } });

/** The strategies that compare it. */
function Use({ name }: { readonly name: string }) {
  const { data: strategies } = useQuery({
    queryKey: keys.contextField(name, 'strategies'),
    queryFn: async () =>
      (await read(api.GET(`${ONE}/strategies`, { params: { path: { contextField: name } } }))).strategies,
  });
  return strategies && <UsedBy title={usedBy.title} strategies={strategies} />;
}

const { columns } = words;

const CONTEXT_FIELDS: Resource<ContextField, typeof fields> = {
  words,
  fields,
  valuesOf,
  useRows: useContextFieldsWithUse,
  refresh: [keys.contextFields],
  icon: <SlidersHorizontal aria-hidden />,
  mayCreate: 'CREATE_CONTEXT_FIELD',
  mayUpdate: 'UPDATE_CONTEXT_FIELD',
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  titleOf: ({ name }) => <code>{name}</code>,
  pages: {
    list: path('context'),
    of: ({ name }) => path('contextField', { name }),
    create: path('createContextField'),
  },
  actions: words.actions,
  acts: [
    deletion(words, {
      may: 'DELETE_CONTEXT_FIELD',
      useQuestion: ({ name }) => ({ sentences: words.deleteEffects(name), more: <Use name={name} /> }),
      run: (field, reason) => write(api.DELETE(ONE, { params: pathOf(field), headers: stated({ reason }) })),
    }),
  ],
  canUndo: true,
  texts: ({ name, description, legalValues: values }) => [name, description, ...values.map(({ value }) => value)],
  // First in the order of the service.
  firstSort: 'order',
  sortText: ({ name }, key) => (key === 'name' ? name : ''),
  columns: [
    col.code('name', columns.name, ({ name }) => name, 'minmax(104px, 1fr)'),
    col.quiet('description', columns.description, ({ description }) => description),
    {
      key: 'values',
      header: columns.values,
      width: '96px',
      cell: ({ legalValues: values }) =>
        values.length === 0 ? <span className={styles.quiet}>{words.anyValue}</span> : words.valueCount(values.length),
    },
    {
      key: 'sticky',
      header: columns.sticky,
      width: '88px',
      from: 'wide',
      cell: ({ stickiness }) => stickiness && <Badge tone="accent">{words.sticky}</Badge>,
    },
    col.number('used', columns.used, ({ usedInFeatures }) => usedInFeatures ?? 0, { from: 'medium' }),
  ],
  command: curl(LIST, { name: 'country', legalValues: [{ value: 'NO' }, { value: 'SE' }] }),
  createLabel: words.create,
  create: (values) => write(api.POST(LIST, { body: { name: values.name, ...bodyOf(values) } })),
  // On condition that the field is as it was when `base` was read.
  save: (field, base, values, reason) => {
    const params = pathOf(field);
    return ifUnchanged(
      () => readTagged(api.GET(ONE, { params, cache: 'no-store' })),
      (now) => same(valuesOf(now), base),
      (etag) => write<unknown>(api.PUT(ONE, { params, headers: stated({ reason, etag }), body: bodyOf(values) })),
    );
  },
  effects: ({ name }) => <Use name={name} />,
};

/** The fields, with the panel that the address says. */
export const ContextPage = () => <ResourceScreen of={CONTEXT_FIELDS} />;
