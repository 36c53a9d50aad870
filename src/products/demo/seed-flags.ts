import type { Person } from './person.ts';
import type { Name, People, Segments } from './seed-setup.ts';

type Environment = 'development' | 'staging' | 'production';

/** A strategy as the admin API accepts it. */
type Rule = Readonly<Record<string, unknown>>;

interface DemoFlag {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string;
  readonly author: Name;
  /** How many days before the end of the history it is created. */
  readonly daysAgo: number;
  readonly tags?: readonly string[];
  /** The strategies of each environment where the flag is on. In other environments it is off and has none. */
  readonly on: Partial<Record<Environment, readonly Rule[]>>;
}

/** A gradual rollout by user. */
export const rollout = (percent: number, rest: Rule = {}): Rule => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percent), stickiness: 'userId' },
  ...rest,
});

const everyone = rollout(100);

const variants = (...names: readonly string[]) =>
  names.map((name) => ({
    name,
    weight: Math.floor(1000 / names.length),
    weightType: 'variable',
    stickiness: 'userId',
    payload: { type: 'string', value: name },
  }));

const countries = (...values: readonly string[]) => ({ contextName: 'country', operator: 'IN', values });

/** Everyone who works here. */
const staffRule = (segments: Segments): Rule => ({
  name: 'default',
  title: 'Our own people',
  segments: [segments.staff],
});

/** Flags of those who operate the services. */
const platformFlags = (): readonly DemoFlag[] => [
  {
    name: 'platform.read-only',
    project: 'platform',
    type: 'kill-switch',
    author: 'ada',
    daysAgo: 27,
    description: 'Refuses writes of all services while the database moves.',
    tags: ['team:platform'],
    on: { development: [everyone] },
  },
  {
    name: 'platform.new-cache',
    project: 'platform',
    type: 'operational',
    author: 'ada',
    daysAgo: 26,
    description: 'Keeps sessions in the new cache.',
    tags: ['team:platform'],
    on: { development: [everyone], staging: [everyone], production: [rollout(50)] },
  },
];

/** Flags of the web shop. */
const shopFlags = (segments: Segments): readonly DemoFlag[] => [
  {
    name: 'shop.gift-cards',
    project: 'shop',
    type: 'release',
    author: 'ben',
    daysAgo: 25,
    description: 'Customers pay with gift cards.',
    tags: ['team:checkout', 'simple:payments'],
    on: { development: [everyone], staging: [everyone], production: [everyone] },
  },
  {
    name: 'shop.new-checkout',
    project: 'shop',
    type: 'release',
    author: 'chloe',
    daysAgo: 22,
    description: 'The checkout on one page.',
    tags: ['team:checkout', 'ticket:SHOP-1204', 'simple:payments'],
    on: {
      development: [everyone],
      staging: [everyone],
      production: [
        staffRule(segments),
        rollout(20, { title: 'The Nordic countries first', segments: [segments.nordics] }),
        rollout(5, {
          title: 'Some of the others',
          constraints: [{ contextName: 'plan', operator: 'NOT_IN', values: ['enterprise'] }],
        }),
      ],
    },
  },
  {
    name: 'shop.express-payment',
    project: 'shop',
    type: 'experiment',
    author: 'chloe',
    daysAgo: 20,
    description: 'Which button makes more customers finish the payment?',
    tags: ['team:checkout'],
    on: {
      development: [everyone],
      production: [rollout(100, { constraints: [countries('NO', 'SE', 'DE')], variants: variants('blue', 'green') })],
    },
  },
  {
    name: 'shop.invoice-pdf',
    project: 'shop',
    type: 'permission',
    author: 'ben',
    daysAgo: 19,
    description: 'Invoices as PDF, a part of the enterprise plan.',
    tags: ['team:checkout'],
    on: { development: [everyone], production: [{ name: 'default', segments: [segments.enterprise] }] },
  },
];

/** Flags of the search. */
const searchFlags = (): readonly DemoFlag[] => [
  {
    name: 'search.typo-tolerance',
    project: 'search',
    type: 'release',
    author: 'dmitri',
    daysAgo: 18,
    description: 'Finds products despite wrong letters.',
    tags: ['team:search'],
    on: { development: [everyone], staging: [everyone], production: [everyone] },
  },
  {
    name: 'search.semantic-ranking',
    project: 'search',
    type: 'release',
    author: 'elin',
    daysAgo: 15,
    description: 'Sorts results by meaning. Its rollout is under way.',
    tags: ['team:search', 'ticket:FIND-88'],
    on: { development: [everyone], staging: [everyone] },
  },
  {
    name: 'search.result-layout',
    project: 'search',
    type: 'experiment',
    author: 'elin',
    daysAgo: 12,
    description: 'Compares three layouts of the list of results.',
    tags: ['team:search'],
    on: { development: [everyone], production: [rollout(60, { variants: variants('list', 'grid', 'cards') })] },
  },
  {
    name: 'search.recommendations',
    project: 'search',
    type: 'operational',
    author: 'dmitri',
    daysAgo: 11,
    description: 'Shows products that others bought.',
    tags: ['team:search'],
    on: { development: [everyone], staging: [everyone], production: [everyone] },
  },
];

/** Flags of the apps. */
const mobileFlags = (segments: Segments): readonly DemoFlag[] => [
  {
    name: 'mobile.passkeys',
    project: 'mobile',
    type: 'release',
    author: 'elin',
    daysAgo: 10,
    description: 'Sign-on with a passkey in place of a password.',
    tags: ['team:mobile', 'ticket:APP-310'],
    on: {
      development: [everyone],
      staging: [everyone],
      production: [staffRule(segments), rollout(25, { segments: [segments.newApps] })],
    },
  },
  {
    name: 'mobile.dark-mode',
    project: 'mobile',
    type: 'release',
    author: 'chloe',
    daysAgo: 9,
    description: 'Dark colours in the apps.',
    tags: ['team:mobile'],
    on: {
      development: [everyone],
      staging: [everyone],
      production: [rollout(50, { constraints: [countries('NO', 'SE', 'DE')] })],
    },
  },
  {
    name: 'mobile.offline-basket',
    project: 'mobile',
    type: 'release',
    author: 'ben',
    daysAgo: 6,
    description: 'The basket also works without a network.',
    tags: ['team:mobile'],
    on: { development: [everyone] },
  },
];

/** The flags that have a part in the history. */
export function demoFlags(segments: Segments): readonly DemoFlag[] {
  return [...platformFlags(), ...shopFlags(segments), ...searchFlags(), ...mobileFlags(segments)];
}

const SMALL: readonly (readonly [project: string, author: Name, daysAgo: number, ...names: readonly string[]])[] = [
  ['shop', 'ben', 5.5, 'shop.price-rounding', 'shop.sticky-basket', 'shop.delivery-slots', 'shop.tax-engine'],
  ['search', 'dmitri', 5, 'search.voice-input', 'search.filters-on-top', 'search.synonyms'],
  ['mobile', 'elin', 4.5, 'mobile.push-offers', 'mobile.barcode-scan', 'mobile.home-widget'],
  ['platform', 'ada', 4, 'platform.batch-writes', 'platform.trace-requests', 'platform.slow-query-log'],
];

/** Flags of the last days, most of them in development only. */
export function smallFlags(): readonly DemoFlag[] {
  return SMALL.flatMap(([project, author, daysAgo, ...names]) =>
    names.map((name, index) => ({
      name,
      project,
      author,
      daysAgo,
      type: index % 3 === 2 ? 'operational' : 'release',
      description: `${sentenceOf(name)}.`,
      tags: [`team:${project === 'shop' ? 'checkout' : project}`],
      on: index % 2 === 0 ? { development: [everyone], production: [everyone] } : { development: [rollout(50)] },
    })),
  );
}

function sentenceOf(name: string): string {
  const words = name.slice(name.indexOf('.') + 1).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const flagPath = (project: string, name: string) => `/projects/${project}/features/${name}`;

/** Creates a flag with its tags and strategies, and switches it on. */
export async function createFlag(people: People, flag: DemoFlag): Promise<void> {
  const author = people[flag.author];
  const { name, type, description, project } = flag;
  const tags = (flag.tags ?? []).map((tag) => ({ type: tag.split(':')[0], value: tag.split(':')[1] }));
  await author.send('POST', `/projects/${project}/features`, { name, type, description, tags });
  for (const [environment, rules] of Object.entries(flag.on)) {
    const path = `${flagPath(project, name)}/environments/${environment}`;
    for (const rule of rules) await author.send('POST', `${path}/strategies`, rule);
    await author.send('POST', `${path}/on`);
  }
}

/** A change of the last days: when, and what happens. */
export type Change = readonly [daysAgo: number, make: () => Promise<unknown>];

/** The path of a strategy of a flag. */
export async function strategyPath(person: Person, flag: string, environment: string, index = 0): Promise<string> {
  const path = `${flagPath(flag.slice(0, flag.indexOf('.')), flag)}/environments/${environment}`;
  const { strategies } = await person.send('GET', path);
  return `${path}/strategies/${strategies[index].id}`;
}
