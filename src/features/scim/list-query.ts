import Type, { type Static } from 'typebox';
import { SCIM_LIMITS } from './limits.ts';
import type { ListQuery } from './listing.ts';
import { SCHEMA } from './protocol/protocol.ts';

const Names = Type.Optional(
  Type.String({ maxLength: 4_000, description: 'Names of attributes, separated by commas: `userName,emails.value`' }),
);

/** Which attributes of one resource an answer has. */
export const ShownAttributes = Type.Object({ attributes: Names, excludedAttributes: Names });

const FIELDS = {
  filter: Type.Optional(
    Type.String({
      maxLength: SCIM_LIMITS.scimFilterLength.max,
      description: 'Only resources that meet it, such as `userName eq "ada@example.com"`',
    }),
  ),
  sortBy: Type.Optional(Type.String({ maxLength: 200, description: 'The attribute whose value sorts the resources' })),
  sortOrder: Type.Optional(Type.String({ maxLength: 20, description: '`ascending`, or `descending`' })),
  startIndex: Type.Optional(Type.Integer({ description: 'Number of the first resource, from 1' })),
  count: Type.Optional(
    Type.Integer({ description: `At most this many resources, and at most ${SCIM_LIMITS.scimPageSize.max}` }),
  ),
};

export const ListParameters = Type.Object({ ...FIELDS, ...ShownAttributes.properties });

const NameList = Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 100 }));

export const SearchBody = Type.Object(
  {
    schemas: Type.Optional(Type.Array(Type.String(), { maxItems: 10, description: `Contains \`${SCHEMA.search}\`` })),
    ...FIELDS,
    attributes: NameList,
    excludedAttributes: NameList,
  },
  { $id: 'scimSearch' },
);

/** The names in the lists of a query. */
export function shownIn({ attributes, excludedAttributes }: Static<typeof ShownAttributes>) {
  return { attributes: namesIn(attributes), excludedAttributes: namesIn(excludedAttributes) };
}

export function listQueryOf({ attributes, excludedAttributes, ...rest }: Static<typeof ListParameters>): ListQuery {
  return { ...rest, ...shownIn({ attributes, excludedAttributes }) };
}

function namesIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').filter((name) => name.trim() !== '');
}
