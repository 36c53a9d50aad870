import Type from 'typebox';
import { networkOf } from '../../../base/network/caller-network.ts';
import type { Rejection } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { NOT_KNOWN_YET } from '../../../http/authentication.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import { INSTANCE_LIMITS } from '../limits.ts';

const route = routesOf('Edge');

/** A request with this header gets an answer about each token. Relays of Burgee send it. */
export const UNDECIDED_HEADER = 'burgee-undecided';
export const LIST_UNDECIDED = 'list';

/** How long such a request waits for another service to decide about a token: one token must not hold the others for longer. */
const ADOPTION_WAIT_MS = 1_000;

const ValidatedToken = Type.Object({
  token: Type.String({ description: 'The whole text of the token' }),
  type: Type.String({ description: '`client` or `frontend`' }),
  projects: Type.Array(Type.String(), { description: 'Ids of its projects; `*` for all' }),
  environment: Type.String({ description: 'Its environment; `*` for all' }),
});

const validateTokens = route('POST /edge/validate', 'getValidTokens', {
  access: { permission: 'NONE' },
  summary: 'Which of these tokens are valid, and their scopes',
  description:
    'Relays call this operation to check the tokens of their callers. Unknown and expired tokens are left out. Admin tokens are left out, too, ' +
    'because no SDK uses them. If it is not known yet whether one of the tokens exists, the answer is 503. With the header `burgee-undecided: list`, ' +
    'such tokens are in `undecided`, and the others in `tokens`: so a made-up token does not hold the others back.',
  hasSecrets: true,
  body: Type.Object(
    {
      tokens: Type.Array(Type.String(), {
        maxItems: INSTANCE_LIMITS.reportTokens.max,
        description: 'The whole texts of the tokens',
      }),
    },
    { $id: 'tokensToValidate' },
  ),
  responses: {
    200: {
      description: 'The valid tokens',
      schema: Type.Object({
        tokens: Type.Array(ValidatedToken),
        undecided: Type.Optional(
          Type.Array(Type.String(), {
            description: 'Only with the header `burgee-undecided: list`: the tokens that may exist',
          }),
        ),
      }),
    },
  },
  errors: [503],
  async handle(request, services) {
    const { tokens, membership } = services;
    const valid = [];
    const texts = new Set(request.body.tokens);
    const listsUndecided = request.header(UNDECIDED_HEADER) === LIST_UNDECIDED;
    const undecided = await adoptUnknown(texts, networkOf(request.remoteAddress, 48), services, listsUndecided);
    for (const text of texts) {
      const { token } = tokens.find(text) ?? {};
      // A relay rejects the callers of a token that is left out, so do not leave out a token that may exist.
      if (!token && membership?.mayBeBehind) undecided.set(text, NOT_KNOWN_YET);
      if (!token || token.type === 'admin') continue;
      const { type, projects, environment } = token;
      valid.push({ token: text, type, projects, environment });
    }
    if (listsUndecided) return ok({ tokens: valid, undecided: [...undecided.keys()] });
    const [problem] = undecided.values();
    return problem ?? ok({ tokens: valid });
  },
});

/** Asks the other service that may know unknown tokens, if there is one. Returns the tokens about which it has not decided, with the rejection for their callers. */
async function adoptUnknown(
  texts: Iterable<string>,
  network: string,
  { tokens, tokenAdoption, source, clock }: Services,
  isShort: boolean,
): Promise<Map<string, Rejection>> {
  const undecided = new Map<string, Rejection>();
  const authority = tokenAdoption ?? source?.tokenAuthority;
  if (!authority) return undecided;
  const unknown = [...texts].filter((text) => authority.mayKnow(text) && !tokens.find(text));
  if (unknown.length === 0) return undecided;
  const end = new AbortController();
  const late = isShort ? clock.sleep(ADOPTION_WAIT_MS, end.signal).then(() => NOT_KNOWN_YET) : undefined;
  await Promise.all(
    unknown.map(async (text) => {
      const adoption = authority.adopt(text, network);
      const problem = await (late ? Promise.race([adoption, late]) : adoption);
      if (problem) undecided.set(text, problem);
    }),
  );
  end.abort();
  return undecided;
}

export const edgeEndpoints = [validateTokens];
