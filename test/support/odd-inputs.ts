/** Stands for the name of the flag in the stored parameters. */
export const FLAG = '<flag>';

/** A strategy as people and exports say it, and what is stored. */
export interface StrategyInput {
  readonly what: string;
  readonly sent: Readonly<Record<string, unknown>>;
  /** The stored fields that this input is about; undefined if it is refused. */
  readonly stored?: Readonly<Record<string, unknown>> | undefined;
}

const COMPLETE = { rollout: '100', stickiness: 'default', groupId: FLAG };

const rollout = (what: string, parameters: unknown, stored?: object): StrategyInput => ({
  what: `a gradual rollout ${what}`,
  sent: { name: 'flexibleRollout', ...(parameters !== undefined && { parameters }) },
  stored: stored && { parameters: { ...COMPLETE, ...stored } },
});

const typed = (what: string, name: string, parameters: unknown, stored?: object): StrategyInput => ({
  what,
  sent: { name, ...(parameters !== undefined && { parameters }) },
  stored: stored && { parameters: stored },
});

const IN = { contextName: 'userId', operator: 'IN', values: ['1', '2'] };
const GREATER = { contextName: 'age', operator: 'NUM_GT', value: '5' };

const constrained = (what: string, constraint: object, stored?: object): StrategyInput => ({
  what: `a constraint ${what}`,
  sent: { name: 'default', constraints: [constraint] },
  stored: stored && { constraints: [{ values: [], ...stored }] },
});

const VARIANT = { name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default' };

const varied = (what: string, variant: object, stored?: object): StrategyInput => ({
  what: `a variant ${what}`,
  sent: { ...typed('', 'flexibleRollout', {}).sent, variants: [{ ...VARIANT, ...variant }] },
  stored: stored && { variants: [{ ...VARIANT, ...stored }] },
});

const field = (what: string, sent: object, stored: object): StrategyInput => ({
  what,
  sent: { name: 'default', constraints: [IN], ...sent },
  stored: { constraints: [IN], ...stored },
});

/**
 * Strategies in every form that people, tools and exports send. Every entrance of strategies takes and refuses the same ones and stores the same. Add
 * a row for a new form, and a function in `entrances.ts` for a new entrance.
 */
export const STRATEGY_INPUTS: readonly StrategyInput[] = [
  rollout('without parameters', undefined, {}),
  rollout('with empty parameters', {}, {}),
  rollout('with null for its parameters', null, {}),
  rollout('with a percentage only', { rollout: '30' }, { rollout: '30' }),
  rollout('with a stickiness only', { stickiness: 'userId' }, { stickiness: 'userId' }),
  rollout('with a group only', { groupId: 'g' }, { groupId: 'g' }),
  rollout('without a percentage', { groupId: 'g', stickiness: 'userId' }, { groupId: 'g', stickiness: 'userId' }),
  rollout('without a stickiness', { groupId: 'g', rollout: '40' }, { groupId: 'g', rollout: '40' }),
  rollout('without a group', { rollout: '40', stickiness: 'userId' }, { rollout: '40', stickiness: 'userId' }),
  rollout('with an empty group', { rollout: '50', groupId: '' }, { rollout: '50' }),
  rollout('with an empty stickiness', { rollout: '50', stickiness: '' }, { rollout: '50' }),
  rollout('with null for its group', { rollout: '60', groupId: null }, { rollout: '60' }),
  rollout('with null for its stickiness', { rollout: '60', stickiness: null }, { rollout: '60' }),
  // Unleash stores an empty text, which is off for everybody.
  rollout('with null for its percentage', { rollout: null, groupId: 'g' }),
  rollout('with a number for its percentage', { rollout: 30 }, { rollout: '30' }),
  rollout('with the number 0', { rollout: 0 }, { rollout: '0' }),
  rollout('with the text 0', { rollout: '0' }, { rollout: '0' }),
  rollout('with a fraction', { rollout: 33.5 }, { rollout: '33.5' }),
  rollout('with spaces around its percentage', { rollout: ' 50 ' }, { rollout: ' 50 ' }),
  rollout('with a parameter of its own', { rollout: '10', sticky: true }, { rollout: '10', sticky: 'true' }),
  rollout('with an empty percentage', { rollout: '' }),
  rollout('with a word for its percentage', { rollout: 'many' }),
  rollout('above 100', { rollout: '101' }),
  rollout('below 0', { rollout: -1 }),
  rollout('with a list for its percentage', { rollout: [50] }),
  typed('the default strategy without parameters', 'default', undefined, {}),
  typed('the default strategy with null for its parameters', 'default', null, {}),
  typed('users by id', 'userWithId', { userIds: '1,2' }, { userIds: '1,2' }),
  typed('a user by a number', 'userWithId', { userIds: 7 }, { userIds: '7' }),
  typed(
    'an older rollout with a number',
    'gradualRolloutUserId',
    { percentage: 20, groupId: 'g' },
    { percentage: '20', groupId: 'g' },
  ),
  typed('an older rollout without parameters', 'gradualRolloutUserId', {}, {}),
  typed('an older rollout above 100', 'gradualRolloutRandom', { percentage: '150' }),
  typed('a strategy of an unknown type', 'nobody-knows', {}),
  constrained('with numbers as values', { ...IN, values: [1, 2] }, IN),
  constrained(
    'with true as a value',
    { ...IN, contextName: 'beta', values: [true] },
    { ...IN, contextName: 'beta', values: ['true'] },
  ),
  constrained('with null for inverted', { ...IN, inverted: null }, IN),
  constrained('with null for caseInsensitive', { ...IN, caseInsensitive: null }, IN),
  constrained('with text for inverted', { ...IN, inverted: 'true' }, { ...IN, inverted: true }),
  constrained('with false as text for inverted', { ...IN, inverted: 'false' }, { ...IN, inverted: false }),
  constrained('with 1 for caseInsensitive', { ...IN, caseInsensitive: 1 }, { ...IN, caseInsensitive: true }),
  constrained('with a number as its value', { ...GREATER, value: 5 }, GREATER),
  constrained('with null for the value that it does not read', { ...IN, value: null }, IN),
  constrained('with null for the values that it does not read', { ...GREATER, values: null }, GREATER),
  constrained('with a number for its field', { ...IN, contextName: 5 }, { ...IN, contextName: '5' }),
  constrained('with an unknown operator', { ...IN, operator: 'IS' }),
  constrained('with a word where a number is needed', { ...GREATER, value: 'x' }),
  constrained('with a word where a date is needed', { contextName: 'currentTime', operator: 'DATE_AFTER', value: 'x' }),
  constrained('without a value', { contextName: 'age', operator: 'NUM_GT' }),
  varied('with text for its weight', { weight: '1000' }, {}),
  varied(
    'with a number in its payload',
    { payload: { type: 'number', value: 5 } },
    { payload: { type: 'number', value: '5' } },
  ),
  varied(
    'with a truth value in its payload',
    { payload: { type: 'string', value: true } },
    { payload: { type: 'string', value: 'true' } },
  ),
  varied('with null for its payload', { payload: null }, {}),
  varied('with an unknown kind of payload', { payload: { type: 'xml', value: '<a/>' } }),
  varied('whose payload is declared as JSON and is none', { payload: { type: 'json', value: '{' } }),
  varied('with a word for its weight', { weight: 'much' }),
  field('a strategy with "false" for disabled', { disabled: 'false' }, { disabled: false }),
  field('a strategy with "true" for disabled', { disabled: 'true' }, { disabled: true }),
  field('a strategy with null for disabled', { disabled: null }, { disabled: false }),
  field('a strategy with 0 for disabled', { disabled: 0 }, { disabled: false }),
  field('a strategy with a number for its title', { title: 5 }, { title: '5' }),
  field('a strategy with null for its title', { title: null }, { title: null }),
  field('a strategy with text for its position', { sortOrder: '1' }, {}),
  field('a strategy with null for its position', { sortOrder: null }, {}),
  field('a strategy with null for its segments', { segments: null }, { segments: [] }),
  field('a strategy with null for its variants', { variants: null }, { variants: [] }),
];
