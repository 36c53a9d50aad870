import { isDeepStrictEqual } from 'node:util';
import type { Question } from './questions.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

/** A difference between the answers of the two relays. */
export interface Difference {
  readonly question: Question;
  readonly edge: string;
  readonly ours: string;
}

export async function ask(url: string, { method, path, headers, body }: Question): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, headers, redirect: 'manual', ...sent });
  const text = await answer.text();
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  return { status: answer.status, type, body: type.includes('json') && text !== '' ? JSON.parse(text) : text };
}

/** Asks both, and returns the first difference in meaning. */
export async function compare(question: Question, edgeUrl: string, ourUrl: string): Promise<Difference | undefined> {
  const [edge, ours] = await Promise.all([ask(edgeUrl, question), ask(ourUrl, question)]);
  if (edge.status !== ours.status) return { question, edge: statusText(edge), ours: statusText(ours) };
  // The relays may use different texts for errors.
  if (question.by === 'status' || edge.status >= 400) return undefined;
  const place = differingPlace(meant(edge.body), meant(ours.body), '');
  return place === undefined ? undefined : { question, ...place };
}

const statusText = ({ status, body }: Answer) => `${status} ${JSON.stringify(body).slice(0, 160)}`;

/** Fields that are not compared: each relay has its own fields in errors and lists, and Edge spells some names differently (docs/move-in/from-edge.md). */
const OWN = new Set([
  'meta',
  'query',
  'version',
  'status',
  'health',
  'impression_data',
  'featureEnabled',
  'feature_enabled',
]);
const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);

/** The value without what has no meaning: the order of flags, and absent, null and empty fields. */
function meant(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(meant);
    return items.every((item) => isNamed(item)) ? [...items].sort(byName) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  // A segment is identified by its id. SDKs do not use its name, and Edge leaves it out.
  const isSegment = 'id' in value && 'constraints' in value;
  const entries = Object.entries(value).filter(
    ([name, item]) => !OWN.has(name) && !isEmpty(item) && !(isSegment && name === 'name'),
  );
  return Object.fromEntries(
    entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, item]) => [name, meant(item)]),
  );
}

type Named = { readonly name?: string; readonly token?: string };
const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && ('token' in value || ('name' in value && 'enabled' in value));
const nameOf = ({ name, token }: Named) => token ?? name ?? '';
const byName = (left: unknown, right: unknown) => (nameOf(left as Named) < nameOf(right as Named) ? -1 : 1);

/** The path of the first difference between two values, with both values. */
function differingPlace(edge: unknown, ours: unknown, path: string): { edge: string; ours: string } | undefined {
  if (isDeepStrictEqual(edge, ours)) return undefined;
  if (typeof edge === 'object' && typeof ours === 'object' && edge !== null && ours !== null) {
    for (const key of new Set([...Object.keys(edge), ...Object.keys(ours)])) {
      const place = differingPlace(
        (edge as Record<string, unknown>)[key],
        (ours as Record<string, unknown>)[key],
        `${path}/${key}`,
      );
      if (place) return place;
    }
  }
  const shown = (value: unknown) => `${path} ${JSON.stringify(value) ?? 'nothing'}`.slice(0, 200);
  return { edge: shown(edge), ours: shown(ours) };
}
