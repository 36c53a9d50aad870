import { choice, text } from '../parts/fields.tsx';
import { people as words } from '../words/en/people/people.ts';
import type { Expiry } from './people-data.ts';

/** When something ends: after some days, or on a day. */
export const expiryFields = (offered: readonly Expiry[], first: Expiry) => ({
  expiry: choice<Expiry>(
    words.expires,
    Object.fromEntries(offered.map((one) => [one, words.expiries[one]])) as Readonly<Record<Expiry, string>>,
    first,
  ),
  day: text(words.day, { type: 'date', isRequired: true, when: ({ expiry }) => expiry === 'custom' }),
});
