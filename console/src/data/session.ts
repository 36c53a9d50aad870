import { createStore } from './store.ts';

/**
 * `unknown` until the first answer. `expired`: the person was signed on in this page, so the sign-on opens over it and drafts stay.
 * `none`: the page shows the sign-on screen only.
 */
type SessionState = 'unknown' | 'signed-on' | 'expired' | 'none';

export const session = createStore<SessionState>('unknown');

export const sessionRefused = () =>
  session.set((before) => (before === 'signed-on' || before === 'expired' ? 'expired' : 'none'));
export const sessionStarted = () => session.set('signed-on');
export const sessionEnded = () => session.set('none');
