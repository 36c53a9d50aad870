import Type from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { assert } from '../../base/assert.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Answer } from '../../http/answer.ts';
import type { Endpoint, HandlerRequest } from '../../http/endpoint.ts';
import type { State } from '../../state/state.ts';
import type { Services } from '../services.ts';
import { At } from './moment.ts';
import { hideAsNow, type PastFlags, readingPast, readPast } from './past-state.ts';

/** Maximum length of an answer about the past, in characters: it is kept in memory until it is certain that no write came in between. */
const ANSWER_CHARS_MAX = 64_000_000;

/** The use of flags is not recorded with the past. */
const NO_USE = { lastSeenAt: () => null, newestSeenAt: () => null, recentUse: () => ({ yes: 0, no: 0 }) };

type Request = HandlerRequest<never, never, never>;

/** The flags that an answer needs: all, those of the project or the one flag in the path, or none. */
type Need = 'all' | 'project' | 'flag' | 'none';

/**
 * The route with the parameter `at`: its handler then reads the state at that moment. The handler may use only what the state has in common with a
 * draft (`StateReader`).
 */
export function withPast(endpoint: Endpoint<Services>, need: Need): Endpoint<Services> {
  // An answer about the past depends on the past of its caller, too.
  assert(endpoint.basis === undefined, 'answers about the past are not shared');
  const query = Type.Object({ ...endpoint.query?.properties, at: Type.Optional(At) });
  return {
    ...endpoint,
    query,
    errors: [...new Set([...endpoint.errors, 400, 404, 413, 429])],
    handle(request, services) {
      const { at } = request.query as { readonly at?: string };
      if (at === undefined) return endpoint.handle(request, services);
      return answerAt(endpoint, request, services, { at, flags: flagsFor(need, request.params) });
    },
  };
}

function flagsFor(need: Need, params: { readonly projectId?: string; readonly featureName?: string }): PastFlags {
  if (need === 'all') return 'all';
  if (need === 'project') return { project: params.projectId ?? '' };
  return { names: need === 'flag' ? [params.featureName ?? ''] : [] };
}

async function answerAt(
  endpoint: Endpoint<Services>,
  request: Request,
  services: Services,
  { at, flags }: { readonly at: string; readonly flags: PastFlags },
): Promise<Answer | Rejection> {
  const { asker } = request;
  const past = { at, path: '/at', flags, asker };
  const read = () =>
    readPast(services, past, async ({ reader, revision, now }) => {
      hideAsNow(reader, now);
      const state = reader as unknown as State;
      const fixedStates = { until: () => reader } as never;
      const pastServices = { ...services, state, fixedStates, flagUse: NO_USE as never };
      const answer = await endpoint.handle(request, pastServices);
      return answer instanceof Rejection ? answer : wholeAnswer(answer, revision, asker);
    });
  return readingPast(services, asker, read);
}

/** The answer as one text: nothing of it is read later, when the state may be another one. */
async function wholeAnswer(answer: Answer, revision: number, asker: Asker): Promise<Answer | Rejection> {
  const { body, pieces, text = body === undefined ? '' : JSON.stringify(body) } = answer;
  const headers = { ...answer.headers, 'content-type': JSON_TYPE, 'burgee-at-revision': String(revision) };
  if (!pieces) return { status: answer.status, text, headers };
  const slicer = Slicer.of(asker);
  const parts: string[] = [];
  let chars = 0;
  for (const piece of pieces) {
    const part = await piece;
    parts.push(part);
    chars += part.length;
    if (chars > ANSWER_CHARS_MAX) return TOO_LONG;
    if (slicer.spent) await slicer.pause();
  }
  return { status: answer.status, text: parts.join(''), headers };
}

const JSON_TYPE = 'application/json; charset=utf-8';

const TOO_LONG = new Rejection('PayloadTooLargeError', 'The answer is too long. Ask for one project or one flag.');
