import type { Glossary } from '../../http/described.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'frontendFlag.variant': 'The variant that was chosen; `disabled` when there is none',
  'frontendFlag.enabled': 'Whether it is on: others are not told',
  'frontendToggle.variant': 'The variant that was chosen; `disabled` when there is none, or the flag is off',
  'frontendRequest.context': 'The context; its fields may stand beside it as well',
  'frontendRequest.environment': 'Taken and ignored: the token says which environment it is',
};
