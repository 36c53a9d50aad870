/**
 * Values that the OpenAPI document shows for parameters and bodies, by the name of the parameter or field. A name has the same example in all
 * operations, unless `operationId.name` states another one; `operationId` alone is the example of a whole body. An optional field has an example only
 * if it is stated here.
 * `test/http/walks/examples.torture.ts` sends the example of every operation to a service that contains these objects.
 */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  addedTags: [{ type: 'simple', value: 'payments' }],
  appName: 'web-shop',
  child: 'checkout.banner',
  constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'], inverted: false }],
  contextField: 'country',
  contextName: 'country',
  email: 'kari@example.com',
  environment: 'development',
  environments: ['development'],
  environmentId: 'development',
  expiresAt: '2099-01-01T00:00:00Z',
  feature: 'checkout.new',
  featureName: 'checkout.new',
  features: ['checkout.new'],
  frontendApiOrigins: ['https://shop.example.com'],
  legalValue: 'NO',
  linkId: '01HX3G8Y7J5W2V9K4M6N8P0Q1R',
  milestoneId: '01KB2Q1DMD5B6H0S9J7E3X8K4V',
  newProjectId: 'shop',
  parent: 'checkout.new',
  planId: '01KB2Q1DMD2T8Y4R6W0Z5N3C1F',
  password: 'a long Passphrase of 2026!',
  oldPassword: 'the Passphrase before, of 2025!',
  projectId: 'default',
  project: 'default',
  removedTags: [],
  revision: 'latest',
  safeguardId: '01KB2Q3S7P1G9M5D2V8A4Q6J0E',
  sessionId: `sha256:${'0'.repeat(64)}`,
  strategyId: '7b1f7d5e-0f0a-4d53-9a59-0f3f1b3ad1b1',
  templateId: '01KB2Q0ZJ6V9X3F5T8R1M4N7PC',
  token: 'default:development.1f9c0e4b7a',
  tokenName: 'web-shop-backend',
  url: 'https://example.com/wiki/checkout',
};
