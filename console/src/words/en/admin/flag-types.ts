/** Texts of the types of flags. */
export const flagTypes = {
  title: 'Flag types',
  lead: 'How long flags of a type are expected to be needed. A flag that is older is marked as potentially stale, and nothing else happens to it.',
  columns: { name: 'Type', description: 'Description', lifetime: 'Lifetime' },
  days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
  noEnd: 'no end',
  lifetime: 'Lifetime in days',
  lifetimeHint: 'Empty: flags of this type are never potentially stale.',
  lifetimeWrong: 'A whole number of days, from 1 to 36500',
  changed: (name: string, before: string, after: string) => `Flags of the type \`${name}\`: ${before} → ${after}`,
  effect: (days: number) =>
    `Flags of this type that are older than ${days === 1 ? '1 day' : `${days} days`} become potentially stale.`,
  noEffect: 'No flag of this type becomes potentially stale because of its age.',
  saved: (name: string) => `Lifetime of ${name} saved`,
} as const;
