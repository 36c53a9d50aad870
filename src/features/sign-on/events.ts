import type { EventWords } from '../../model/event.ts';

/** Events that this feature records, with their labels and sentences. */
export const SIGN_ON_EVENTS = {
  'public-signup-token-created': ['Signup link created', 'created the public signup link {what}'],
  'public-signup-token-user-added': ['User signed up', 'signed up with a public link'],
  'public-signup-token-updated': ['Signup link changed', 'changed the public signup link {what}'],
} as const satisfies EventWords;

type Stated = typeof SIGN_ON_EVENTS;

declare module '../../model/event.ts' {
  interface EventTable extends Stated {}
}
