import { useQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import type { components } from '../../api/schema.d.ts';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { tagsQuery, tagTypesQuery } from '../../data/settings.ts';
import { same } from '../../domain/same.ts';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { col } from '../../parts/columns.tsx';
import { area, text, type ValuesOf } from '../../parts/fields.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion } from '../../parts/ListScreen.tsx';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { tags as words } from '../../words/en/admin/tags.ts';
import { Swatch } from './Swatch.tsx';
import own from './Tags.module.css';
import { TagValues } from './TagValues.tsx';

type TagType = components['schemas']['tagType'];

const TYPE = '/api/admin/tag-types/{name}';
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]{2,50}$/;
const COLOR = /^#[0-9a-f]{6}$/i;

const fields = {
  name: text(words.name, {
    max: 50,
    mono: true,
    trims: true,
    isRequired: true,
    isFixed: true,
    hint: words.nameHint,
    problem: (name) => (NAME.test(name) ? undefined : words.nameWrong),
  }),
  description: area(words.description, { max: 10_000 }),
  color: text(words.color, {
    max: 7,
    mono: true,
    trims: true,
    hint: words.colorHint,
    problem: (color) => (COLOR.test(color) ? undefined : words.colorWrong),
    leading: (color, problem) => <Swatch color={problem ? null : color} />,
  }),
};
type Values = ValuesOf<typeof fields>;

const valuesOf = ({ name, description, color }: TagType): Values => ({
  name,
  description: description ?? '',
  color: color ?? '',
});
const bodyOf = ({ description, color }: Values) => ({ description: description.trim() || null, color: color || null });

const useCount = (name: string) => useQuery(tagsQuery).data?.filter(({ type }) => type === name).length ?? 0;
const Count = ({ name }: TagType) => <NumberText value={useCount(name)} />;

const TAG_TYPES: Resource<TagType, typeof fields> = {
  words,
  fields,
  valuesOf,
  useRows: () => useQuery(tagTypesQuery),
  refresh: [keys.tagTypes],
  icon: <Tags aria-hidden />,
  mayCreate: 'CREATE_TAG_TYPE',
  mayUpdate: 'UPDATE_TAG_TYPE',
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  titleOf: ({ name }) => <code>{name}</code>,
  actions: words.actions,
  canUndo: true,
  texts: ({ name, description }) => [name, description],
  columns: [
    col.code('name', words.columns.name, ({ name }) => name),
    col.quiet('description', words.columns.description, ({ description }) => description),
    {
      key: 'color',
      header: words.columns.color,
      width: '112px',
      from: 'medium',
      cell: ({ color }) =>
        color && (
          <span className={own.color}>
            <Swatch color={color} />
            <code>{color}</code>
          </span>
        ),
    },
    col.number('tags', words.columns.tags, (type) => <Count {...type} />),
  ],
  command: curl('/api/admin/tag-types', { name: 'team', description: 'Who owns the flag' }),
  create: (values) => write(api.POST('/api/admin/tag-types', { body: { name: values.name, ...bodyOf(values) } })),
  // On condition that the type is as it was when `base` was read.
  save: ({ name }, base, values, reason) => {
    const params = { path: { name } };
    return ifUnchanged(
      () => readTagged(api.GET(TYPE, { params, cache: 'no-store' })),
      ({ tagType }) => same(valuesOf(tagType), base),
      (etag) => write(api.PUT(TYPE, { params, headers: stated({ reason, etag }), body: bodyOf(values) })),
    );
  },
  acts: [
    deletion(words, {
      may: 'DELETE_TAG_TYPE',
      useQuestion: ({ name }) => ({ sentences: words.deleteEffects(name, useCount(name)) }),
      run: ({ name }, reason) => write(api.DELETE(TYPE, { params: { path: { name } }, headers: stated({ reason }) })),
    }),
  ],
  effects: ({ name }) => <TagValues type={name} />,
};

/** The types of tags, with the tags of one type in the panel that the address says. */
export const TagTypesPage = () => <ResourceScreen of={TAG_TYPES} />;
