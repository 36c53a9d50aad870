import Type from 'typebox';
import { cutText } from './bounded-text.ts';
import { optionalName, tool } from './tool.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 50;
const DESCRIPTION_CHARS = 200;

interface FoundFlag {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description?: string | null;
  readonly stale?: boolean;
  readonly archivedAt?: string | null;
  readonly createdAt?: string | null;
  readonly lastSeenAt?: string | null;
  readonly environments?: readonly { readonly name: string; readonly enabled: boolean }[];
  readonly tags?: readonly { readonly type: string; readonly value: string }[] | null;
}

export const searchFlags = tool({
  name: 'search_flags',
  title: 'Search feature flags',
  kind: 'read',
  description:
    'Finds feature flags by text and filters. Returns a page: for each flag its project, type, description, tags, and the environments in which it is ' +
    'switched on. Use get_flag for the strategies of one flag.',
  hint: 'Add filters, or use a smaller limit.',
  input: {
    text: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of the name, the description or a tag, without a comma' }),
    ),
    project: optionalName('Id of a project'),
    type: Type.Optional(
      Type.String({ maxLength: 60, description: 'release, experiment, operational, kill-switch or permission' }),
    ),
    state: Type.Optional(Type.Enum(['active', 'stale', 'potentially-stale'])),
    enabledIn: optionalName('Name of an environment: only flags that are switched on there'),
    disabledIn: optionalName('Name of an environment: only flags that are switched off there'),
    tag: Type.Optional(Type.String({ pattern: '^[^,:]+:[^,]+$', maxLength: 250, description: 'A tag as type:value' })),
    archived: Type.Optional(Type.Boolean({ description: 'true: only archived flags. Default: only others' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `Number of flags. Default: ${LIMIT_DEFAULT}` }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Number of flags to skip' })),
  },
  async run(input, { api }) {
    const { text, project, type, state, enabledIn, disabledIn, tag, archived, limit = LIMIT_DEFAULT, offset } = input;
    const is = (value: string | undefined) => (value === undefined ? undefined : `IS:${value}`);
    const status = enabledIn === undefined ? disabledIn && `${disabledIn}:disabled` : (`${enabledIn}:enabled` as const);
    const query = {
      query: text?.replaceAll(',', ' ').trim() || undefined,
      project: is(project),
      type: is(type),
      state: is(state),
      status,
      tag: tag === undefined ? undefined : `INCLUDE:${tag}`,
      archived: archived ? 'IS:true' : undefined,
      sortBy: 'name',
      limit,
      offset,
    };
    const page = await api.get<{ total: number; features: readonly FoundFlag[] }>('/api/admin/search/features', {
      query,
    });
    const first = offset ?? 0;
    const isLast = first + page.features.length >= page.total;
    return {
      total: page.total,
      flags: page.features.slice(0, limit).map(presentFound),
      ...(!isLast && {
        next: { offset: first + page.features.length, hint: 'More flags match. Add filters, or use this offset.' },
      }),
    };
  },
});

function presentFound(flag: FoundFlag): Readonly<Record<string, unknown>> {
  const { name, project, type, description, stale, archivedAt, createdAt, lastSeenAt, environments = [], tags } = flag;
  return {
    name,
    project,
    type,
    ...(description && { description: cutText(description, DESCRIPTION_CHARS) }),
    ...(stale && { stale }),
    ...(archivedAt && { archivedAt }),
    createdAt,
    lastSeenAt,
    enabledIn: environments.filter(({ enabled }) => enabled).map(({ name }) => name),
    ...(tags && tags.length > 0 && { tags: tags.map(({ type, value }) => `${type}:${value}`) }),
  };
}
