/** Texts of creating a flag, and of the first run. */
export const createFlag = {
  title: 'New flag',
  clone: (name: string) => `Clone ${name}`,
  nameHint: 'As your code asks for it. It cannot be changed later.',
  tagsHint: 'Such as team-a. Each is a tag of the type “simple”.',
  impressions: 'Impression data',
  impressionsHint: 'SDKs send an event each time the flag is asked for.',
  naming: (pattern: string) => `The project asks for names that match ${pattern}.`,
  namingExample: (example: string) => `For example ${example}.`,
  limit: 'The project has as many flags as it may have.',
} as const;

export const firstRun = {
  title: 'Your first flag',
  intro: 'Three steps to a flag that your code reads.',
  step1: 'Create a flag',
  step2: 'Switch it on in development',
  step3: 'Read it from your code',
  isOn: 'The flag is on in development.',
  token: 'A token for your SDK',
  tokenHint: 'It is shown only now. It reads the flags of this project in development.',
  createToken: 'Create a token and show the code',
  waiting: 'Waiting for the first SDK that asks for this flag…',
  seen: 'An SDK has asked for this flag. You are done.',
  open: 'Open the flag',
} as const;
