import { BASE_PATH } from '../../base-path.ts';
import { createStore } from '../../data/store.ts';

export type Protocol = 'oidc' | 'saml';

/** What a sign-on would do, as the server puts it into the address. */
export interface TrialResult {
  readonly trial: string;
  readonly isAccepted: boolean;
  readonly message?: string;
  readonly reason?: string;
  readonly email?: string;
  readonly name?: string | null;
  readonly sentGroups?: readonly string[];
  readonly sentGroupCount?: number;
  readonly account?: {
    readonly id: number;
    readonly name: string | null;
    readonly email: string | null;
    readonly rootRole: number;
    readonly isNew: boolean;
    readonly groups: readonly string[];
    readonly groupCount: number;
  };
}

/** `other`: the address has a result that this window did not ask for, so it proves nothing. */
export type Trial = TrialResult | 'other';

export const trials = createStore<Readonly<Partial<Record<Protocol, Trial>>>>({});

const KEY = 'burgee-trial';
const MARK_BYTES = 16;

/** Signs on at the provider in this window. The mark, which only this window knows, is in the result. */
export function startTrial(protocol: Protocol): void {
  const bytes = crypto.getRandomValues(new Uint8Array(MARK_BYTES));
  const mark = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  sessionStorage.setItem(KEY, mark);
  location.assign(`${BASE_PATH}/auth/${protocol}/login?try=${mark}`);
}

/** Settings that were saved have not been tried. */
export const forgetTrial = (protocol: Protocol): void => trials.set((before) => ({ ...before, [protocol]: undefined }));

const HASH = /^#tried=([\w-]+)$/;

function resultOf(text: string): Trial {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    const result = JSON.parse(new TextDecoder().decode(bytes)) as TrialResult;
    return result.trial === sessionStorage.getItem(KEY) ? result : 'other';
  } catch {
    return 'other';
  }
}

/** Moves the result from the address, if it has one, to `trials`. */
export function takeResult(protocol: Protocol): void {
  const text = HASH.exec(location.hash)?.[1];
  if (text === undefined) return;
  trials.set((before) => ({ ...before, [protocol]: resultOf(text) }));
  sessionStorage.removeItem(KEY);
  history.replaceState(history.state, '', location.pathname + location.search);
}
