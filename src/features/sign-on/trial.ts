import { may } from '../../access/may.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Decidable } from '../../engine/command.ts';
import { type Answer, seeOther } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { cookieValue, SESSION_COOKIE } from '../../http/session-cookie.ts';
import { arrivingCaller } from '../../model/caller.ts';
import type { Session } from '../../model/session.ts';
import type { SignOnPolicy } from '../../model/sign-on.ts';
import type { User } from '../../model/user.ts';
import type { Services } from '../services.ts';
import { previewCommand } from '../shared/preview-command.ts';
import { type SignOnInput, signOn } from './commands.ts';
import { signOnInput } from './finish.ts';
import type { Attempt } from './providers/attempt.ts';
import { Refusal, type VerifiedUser } from './providers/sign-on.ts';

type Request = HandlerRequest<unknown, unknown, unknown>;
type Protocol = 'saml' | 'oidc';

const NOT_ADMIN = new Rejection(
  'NoAccessError',
  'Only an admin can try a sign-on, with a session in the same browser. Sign on first.',
);

/** Names of groups in a result, and their bytes. A result is a part of an address: proxies accept some 4,000 characters of a header. */
const NAMES_MAX = 20;
const NAME_LENGTH_MAX = 100;
const NAMES_BYTES_MAX = 700;
const REASON_LENGTH_MAX = 500;

/** Why the browser may not try a sign-on. A trial works while the sign-on is disabled, so it is only for admins. */
export function trialProblem(request: Request, { state, userCredentials }: Services): Rejection | undefined {
  const caller = userCredentials.findSession(cookieValue(request.header('cookie') ?? '', SESSION_COOKIE));
  return caller && may(state, caller, 'ADMIN', null, null) ? undefined : NOT_ADMIN;
}

/** What the sign-on would do. */
interface Tried {
  readonly user: User;
  /** Names of the groups that the user would be a member of. */
  readonly groups: readonly string[];
}

/** Decides the sign-on, and returns its effects. It is only ever decided on a temporary state. */
const trySignOn: Decidable<SignOnInput, Tried> = {
  decide(context, input) {
    const { draft } = context;
    const session = signOn.decide(context, input) as Session | Rejection;
    if (session instanceof Rejection) return session;
    const user = draft.get('users', String(session.userId)) as User;
    const memberships = [...draft.lookup('membershipsByUser', String(user.id))];
    const groups = memberships.flatMap(({ groupId }) => draft.get('groups', String(groupId))?.name ?? []);
    return { user, groups };
  },
};

/** Shows the result of a trial: nothing is stored, and the browser keeps its session. */
export async function finishTrial(
  request: Request,
  services: Services,
  attempt: Attempt,
  verified: VerifiedUser | Rejection,
  { protocol, policy }: { readonly protocol: Protocol; readonly policy: SignOnPolicy },
): Promise<Answer | Rejection> {
  const problem = trialProblem(request, services);
  if (problem) return problem;
  if (verified instanceof Rejection) return showRefusal(services, attempt, protocol, verified);
  const input = signOnInput(request, services, attempt, verified, policy);
  // While the sign-on is disabled, its command would refuse every user.
  const enabled = { ...input, policy: { ...input.policy, isFixed: true } };
  const tried = await previewCommand(services, arrivingCaller(protocol), trySignOn, enabled, request.asker);
  const { email, name, groups } = verified.identity;
  const identity = { email, name, ...(groups && { sentGroups: shortened(groups), sentGroupCount: groups.length }) };
  if (tried instanceof Rejection) return showRefusal(services, attempt, protocol, tried, identity);
  const { user } = tried;
  const isNew = services.state.get('users', String(user.id)) === undefined;
  const account = { id: user.id, name: user.name, email: user.email, rootRole: user.rootRole, isNew };
  return show(services, attempt, protocol, {
    isAccepted: true,
    ...identity,
    account: { ...account, groups: shortened(tried.groups), groupCount: tried.groups.length },
  });
}

/** Shows why the trial failed. The log has the same reason; only an admin sees it here. */
export function showRefusal(
  services: Services,
  attempt: Attempt,
  protocol: Protocol,
  rejection: Rejection,
  identity: object = {},
): Answer {
  const { message } = rejection;
  const reason = rejection instanceof Refusal ? { reason: rejection.reason.slice(0, REASON_LENGTH_MAX) } : {};
  return show(services, attempt, protocol, { isAccepted: false, message, ...reason, ...identity });
}

/** Opens the page of the settings. Its fragment has the result, so that the result is in no log of a proxy. */
function show({ config }: Services, { trial }: Attempt, protocol: Protocol, result: object): Answer {
  const text = Buffer.from(JSON.stringify({ trial, ...result })).toString('base64url');
  return seeOther(`${config.basePath}/admin/auth/${protocol}#tried=${text}`);
}

function shortened(names: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const name of names.slice(0, NAMES_MAX)) {
    const text = name.slice(0, NAME_LENGTH_MAX);
    bytes += Buffer.byteLength(text);
    if (bytes > NAMES_BYTES_MAX) break;
    shown.push(text);
  }
  return shown;
}
