import type { TSchema } from 'typebox';
import { convertedInSteps } from '../../base/converted.ts';
import { conforms, validate } from '../../base/validation.ts';
import type { Steps } from '../../base/yield-control.ts';

/** A flag that is left out of an import, and why. */
interface LeftOutFlag {
  readonly name: string;
  readonly reason: string;
}

/** The flags that were left out of an export, as a property that no caller can send. */
const LEFT_OUT: unique symbol = Symbol('flags that were left out');

/** The flags that `mendedData` left out of the export. */
export function flagsLeftOutOf(data: object): readonly LeftOutFlag[] {
  return (data as { readonly [LEFT_OUT]?: readonly LeftOutFlag[] })[LEFT_OUT] ?? [];
}

type Members = Readonly<Record<string, unknown>>;

/** The body of an import, converted and without the flags that still do not conform. */
export function* mendedImport(schema: TSchema, body: unknown): Steps<unknown> {
  const { data: dataSchema } = (schema as unknown as { readonly properties: { readonly data: TSchema } }).properties;
  if (!isMembers(body) || !isMembers(body.data)) return yield* convertedInSteps(schema, body);
  const { data, ...fields } = body;
  return { ...((yield* convertedInSteps(schema, fields)) as Members), data: yield* mendedData(dataSchema, data) };
}

/**
 * An export that does not conform to the schema, converted, and without each flag of which a part still does not conform. If no flag would be left,
 * all flags stay, so that the schema refuses them and names the parts.
 */
export function* mendedData(schema: TSchema, sent: unknown): Steps<unknown> {
  const data = yield* convertedInSteps(schema, sent);
  if (!isMembers(data)) return data;
  const reasons = yield* brokenFlags(schema, data);
  if (reasons.size === 0 || !Array.isArray(data.features)) return data;
  const features = data.features.filter((feature) => !reasons.has(nameOf('features', feature)));
  if (features.length === 0) return data;
  const kept: Record<string, unknown> = { ...data, features };
  for (const list of Object.keys(OWNERS) as OwnedList[]) {
    const items = data[list];
    if (Array.isArray(items)) kept[list] = items.filter((item) => !reasons.has(nameOf(list, item)));
    yield;
  }
  const leftOut = Array.from(reasons, ([name, reason]): LeftOutFlag => ({ name, reason }));
  return { ...kept, [LEFT_OUT]: leftOut };
}

/** The lists of an export whose items belong to a flag, with the property that names the flag. */
const OWNERS = {
  features: 'name',
  featureStrategies: 'featureName',
  featureEnvironments: 'featureName',
  featureTags: 'featureName',
  dependencies: 'feature',
  links: 'feature',
} as const;
type OwnedList = keyof typeof OWNERS;

function nameOf(list: OwnedList, item: unknown): string {
  const name = isMembers(item) ? item[OWNERS[list]] : undefined;
  return typeof name === 'string' ? name : '';
}

/** The flags of which a part does not conform to its schema, with the first reason. A part without the name of its flag is not among them. */
function* brokenFlags(schema: TSchema, data: Members): Steps<Map<string, string>> {
  const reasons = new Map<string, string>();
  const { properties } = schema as unknown as { readonly properties: Readonly<Record<string, { items?: TSchema }>> };
  for (const list of Object.keys(OWNERS) as OwnedList[]) {
    const itemSchema = properties[list]?.items;
    const items = data[list];
    if (!itemSchema || !Array.isArray(items)) continue;
    for (const item of items) {
      const name = nameOf(list, item);
      if (name !== '' && !reasons.has(name) && !conforms(itemSchema, item))
        reasons.set(name, reasons.size < EXPLAINED_MAX ? reasonOf(itemSchema, item, list) : `${list} cannot be read`);
      yield;
    }
  }
  return reasons;
}

/** Maximum number of flags whose reason is explained: an explanation costs much more than a check. */
const EXPLAINED_MAX = 1_000;

function reasonOf(schema: TSchema, item: unknown, list: OwnedList): string {
  return validate(schema, item, list)?.details[0]?.message ?? `${list} cannot be read`;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
