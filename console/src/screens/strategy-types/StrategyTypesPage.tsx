import { Blocks } from 'lucide-react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { useStrategyTypes } from '../../data/feature.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { same } from '../../domain/same.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { col } from '../../parts/columns.tsx';
import { area, type FieldOf, text, type ValuesOf } from '../../parts/fields.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { type Act, deletion } from '../../parts/ListScreen.tsx';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import { ParametersEditor } from './ParametersEditor.tsx';
import { ShowStrategyType } from './ShowStrategyType.tsx';
import {
  bare,
  keyed,
  type Parameter,
  parameterSentences,
  parametersProblem,
  type StrategyType,
} from './strategy-type-data.ts';

const LIST = '/api/admin/strategies';
const TYPE = '/api/admin/strategies/{name}';
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]{1,100}$/;

const parameters: FieldOf<readonly Parameter[]> = {
  label: words.parameters,
  first: [],
  problem: parametersProblem,
  sentences: parameterSentences,
  show: ({ value, onChange }) => <ParametersEditor parameters={value} onChange={onChange} />,
};

const fields = {
  name: text(parts.name, {
    max: 100,
    mono: true,
    trims: true,
    isRequired: true,
    isFixed: true,
    hint: words.nameHint,
    problem: (name) => (NAME.test(name) ? undefined : words.nameWrong),
  }),
  title: text(words.titleField, { max: 500, hint: words.titleHint }),
  description: area(parts.description, { max: 10_000 }),
  parameters,
};
type Values = ValuesOf<typeof fields>;

const valuesOf = (type: StrategyType): Values => ({
  name: type.name,
  title: type.title ?? '',
  description: type.description ?? '',
  parameters: keyed(type.parameters),
});
const bodyOf = ({ title, description, parameters: all }: Values) => ({
  title: title.trim() || null,
  description: description.trim() || null,
  parameters: all.map(bare),
});

const pathOf = ({ name }: StrategyType) => ({ path: { name } });
const isBuiltIn = ({ editable }: StrategyType) => (editable ? undefined : words.isBuiltIn);

const ACTS: readonly Act<StrategyType>[] = [
  {
    key: 'deprecate',
    may: 'UPDATE_STRATEGY',
    isFor: ({ deprecated }) => !deprecated,
    reason: ({ name }) => (name === 'default' ? words.isDefault : undefined),
    menu: words.deprecate,
    label: words.deprecateLabel,
    title: words.deprecateTitle,
    useQuestion: ({ name }) => ({ sentences: words.deprecateEffects(name) }),
    run: (type, reason) => write(api.POST(`${TYPE}/deprecate`, { params: pathOf(type), headers: stated({ reason }) })),
    done: words.deprecated,
  },
  {
    key: 'reactivate',
    may: 'UPDATE_STRATEGY',
    isFor: ({ deprecated }) => deprecated,
    menu: words.reactivate,
    label: words.reactivateLabel,
    title: words.reactivateTitle,
    useQuestion: ({ name }) => ({ sentences: words.reactivateEffects(name) }),
    run: (type, reason) => write(api.POST(`${TYPE}/reactivate`, { params: pathOf(type), headers: stated({ reason }) })),
    done: words.reactivated,
  },
  deletion(words, {
    may: 'DELETE_STRATEGY',
    reason: isBuiltIn,
    useQuestion: ({ name }) => ({ sentences: words.deleteEffects(name) }),
    run: (type, reason) => write(api.DELETE(TYPE, { params: pathOf(type), headers: stated({ reason }) })),
  }),
];

const { columns, states } = words;

const STRATEGY_TYPES: Resource<StrategyType, typeof fields> = {
  words,
  fields,
  valuesOf,
  useRows: useStrategyTypes,
  refresh: [keys.strategyTypes],
  icon: <Blocks aria-hidden />,
  mayCreate: 'CREATE_STRATEGY',
  mayUpdate: 'UPDATE_STRATEGY',
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  titleOf: ({ name }) => <code>{name}</code>,
  isFixed: ({ editable }) => !editable,
  acts: ACTS,
  canUndo: true,
  texts: ({ name, title, description }) => [name, title, description],
  columns: [
    col.code('name', columns.name, ({ name }) => name, { sortable: true }),
    col.quiet('description', columns.description, ({ title, description }) =>
      [title, description].filter(Boolean).join(': '),
    ),
    col.number('parameters', columns.parameters, (type) => type.parameters.length, { width: '88px', from: 'wide' }),
    {
      key: 'state',
      header: columns.state,
      width: '104px',
      cell: ({ editable, deprecated }) =>
        deprecated ? (
          <Badge tone="warn" dot>
            {states.deprecated}
          </Badge>
        ) : (
          <Badge tone={editable ? 'accent' : 'neutral'}>{editable ? states.custom : states.builtIn}</Badge>
        ),
    },
  ],
  command: curl(LIST, { name: 'byTenant', parameters: [{ name: 'tenants', type: 'list' }] }),
  create: (values) => write(api.POST(LIST, { body: { name: values.name, ...bodyOf(values) } })),
  // On condition that the type is as it was when `base` was read.
  save: (type, base, values, reason) => {
    const params = pathOf(type);
    return ifUnchanged(
      () => readTagged(api.GET(TYPE, { params, cache: 'no-store' })),
      (now) => same(valuesOf(now), base),
      (etag) => write<unknown>(api.PUT(TYPE, { params, headers: stated({ reason, etag }), body: bodyOf(values) })),
    );
  },
  panel: (type, onClose) => !type.editable && <ShowStrategyType key={type.name} type={type} onClose={onClose} />,
};

/** All types, with the panel that the address says. */
export const StrategyTypesPage = () => <ResourceScreen of={STRATEGY_TYPES} />;
